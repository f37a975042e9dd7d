import PlatformImage
print(Bitmap.liveBitmapBytes)
