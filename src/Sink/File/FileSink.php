<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

use Headroom\Core\Examinable;
use Headroom\Core\Options;
use Headroom\Core\Problem;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * Appends each event as a line of JSON to a file: at least once. Lines carry `_id`, the same through every retry, so
 * that a reader can drop the doubles that a crash may cause.
 *
 * @internal
 */
final readonly class FileSink implements Examinable, Sink
{
    public function __construct(private string $path) {}

    public static function fromOptions(Options $options): self
    {
        return new self($options->only(['path'])->string('path'));
    }

    public function deliver(Delivery $delivery): void
    {
        $lines = '';

        foreach ($delivery->batch as $record) {
            $lines .= Line::of($delivery->idOf($record), $record)."\n";
        }

        $file = @fopen($this->path, 'ae');

        if ($file === false) {
            throw UnableToWriteFile::notOpened($this->path, $this->reason());
        }

        try {
            $this->append($file, $lines);
        } finally {
            fclose($file);
        }
    }

    public function examine(): array
    {
        $directory = dirname($this->path);
        $writable = is_file($this->path) ? is_writable($this->path) : is_dir($directory) && is_writable($directory);

        return $writable ? [] : [new Problem($this->path, 'The file can not be written by this user.', "Make {$directory} and give this user the right to write there.")];
    }

    /** @param resource $file */
    private function append($file, string $lines): void
    {
        flock($file, LOCK_EX);
        $size = fstat($file)['size'] ?? 0;
        $written = @fwrite($file, $lines);

        if ($written !== strlen($lines)) {
            $reason = $this->reason();
            ftruncate($file, max(0, $size));

            throw UnableToWriteFile::wroteTooLittle($this->path, (int) $written, strlen($lines), $reason);
        }
    }

    private function reason(): string
    {
        $message = error_get_last()['message'] ?? 'unknown reason';
        $colon = strrpos($message, ': ');

        return $colon === false ? $message : substr($message, $colon + 2);
    }
}
