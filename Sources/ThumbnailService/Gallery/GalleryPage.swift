#if Service
/// The gallery's page without its style and its script, which are files of their own so that the policy allows no others.
enum GalleryPage {
    /// Nothing from anywhere else; pictures come as blobs out of answers that the script has read. No text can become
    /// markup: the script assigns none, and browsers that know trusted types would refuse it.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
        """

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3b6ea8"/>\
        <circle cx="11" cy="5" r="2" fill="#ffd88a"/><path d="M0 13 5 6l4 5 2-2 5 5v2H0z" fill="#fff"/></svg>

        """

    /// - Parameters:
    ///   - token: Letters and digits.
    ///   - sides: What thumbnails are there, in pixels, rising.
    ///   - count: Pictures.
    static func html(token: String, sides: [Int], count: Int) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="gallery-token" content="\(token)">
        <meta name="gallery-sides" content="\(sides.map(String.init).joined(separator: " "))">
        <title>Gallery of the thumbnail service</title>
        <link rel="icon" href="/gallery/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/gallery/gallery.css">
        <script src="/gallery/gallery.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#pictures">Skip to the pictures</a>
        <header>
        <div class="heading">
        <h1>Gallery</h1>
        <p>Each picture says where its bytes came from.</p>
        </div>
        <div class="actions" role="group" aria-label="Pictures and caches">
        <button type="button" id="reload">Reload</button>
        <button type="button" id="clear-memory">Clear memory</button>
        <button type="button" id="purge-disk">Purge disk</button>
        </div>
        <section class="caches" aria-label="Caches against their limits">
        <div class="level" id="level-memory" hidden><span class="name">Results in memory</span>\
        <span class="value"></span><span class="gauge" role="meter" aria-label="Results in memory"><span></span></span></div>
        <div class="level" id="level-disk" hidden><span class="name">Results on disk</span>\
        <span class="value"></span><span class="gauge" role="meter" aria-label="Results on disk"><span></span></span></div>
        <div class="level" id="level-sources" hidden><span class="name">Sources on disk</span>\
        <span class="value"></span><span class="gauge" role="meter" aria-label="Sources on disk"><span></span></span></div>
        <div class="level" id="level-renders" hidden><span class="name">Bytes being rendered</span>\
        <span class="value"></span><span class="gauge" role="meter" aria-label="Bytes being rendered"><span></span></span></div>
        </section>
        <p class="process" id="process"></p>
        </header>
        <section class="sums" aria-label="This pass">
        <p class="total"><strong id="shown">0</strong> of <span id="count">\(count)</span> shown\
        <span class="more"><span id="bytes">0 bytes</span><span id="median">no time yet</span>\
        <span id="cancelled">0 cancelled</span></span></p>
        <div class="share" aria-hidden="true"><span data-source="memory"></span><span data-source="disk"></span>\
        <span data-source="revalidated"></span><span data-source="render"></span><span data-source="failed"></span></div>
        <ul class="legend">
        <li data-source="memory"><b>0</b> memory</li>
        <li data-source="disk"><b>0</b> disk</li>
        <li data-source="revalidated"><b>0</b> revalidated</li>
        <li data-source="render"><b>0</b> rendered</li>
        <li data-source="failed"><b>0</b> failed</li>
        </ul>
        </section>
        <p class="unseen" role="status" id="status"></p>
        <main>
        <p class="unseen" id="keys">Arrow keys move between pictures, Enter opens one, Escape closes it.</p>
        <ul class="grid" id="pictures" tabindex="-1" aria-label="Pictures" aria-describedby="keys"></ul>
        <noscript><p class="notice">This page needs its script: it reads where each picture came from.</p></noscript>
        <p class="notice" id="notice" hidden></p>
        </main>
        <dialog id="large" aria-labelledby="large-name">
        <div class="frame"><img id="large-image" alt=""><p class="problem" id="large-problem"></p></div>
        <div class="bar">
        <p><span id="large-name"></span><span class="facts"><span class="badge" id="large-badge"></span>\
        <span id="large-figures"></span></span></p>
        <div class="actions">
        <button type="button" id="previous" aria-label="Previous picture">Previous</button>
        <button type="button" id="next" aria-label="Next picture">Next</button>
        <button type="button" id="close" autofocus>Close</button>
        </div>
        </div>
        </dialog>
        </body>
        </html>

        """
    }
}
#endif
