<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

use Headroom\Support\FileOperation;

/**
 * A log file of any size, or standard input. Its first bytes decide whether it is gzipped; its name does not.
 *
 * @internal
 */
final class LogFile
{
    public const STDIN = '-';

    private const CHUNK = 131_072;

    private int $position = 0;

    /** @param resource $stream */
    private function __construct(public readonly string $name, private $stream, private readonly ?int $size) {}

    /** @throws UnableToReadLog */
    public static function open(string $name): self
    {
        if ($name !== self::STDIN && is_dir($name)) {
            throw UnableToReadLog::directory($name);
        }

        $stream = FileOperation::run(
            static fn () => fopen($name === self::STDIN ? 'php://stdin' : $name, 'r'),
            $reason,
        );

        if ($stream === false) {
            throw UnableToReadLog::notOpened($name, strtolower($reason));
        }

        $stat = fstat($stream);
        $isFile = $stat !== false && ($stat['mode'] & 0o170000) === 0o100000;

        return new self($name, $stream, $isFile ? $stat['size'] : null);
    }

    /** Bytes on disk; null if the size is unknown, as with a pipe. */
    public function size(): ?int
    {
        return $this->size;
    }

    /** The number of these bytes that were read. */
    public function position(): int
    {
        return $this->position;
    }

    /**
     * The unpacked text. It can be read once.
     *
     * @return iterable<string>
     *
     * @throws UnableToReadLog
     */
    public function chunks(): iterable
    {
        try {
            // The first read from a pipe may return a single byte.
            $first = $this->read();

            while (strlen($first) < strlen(Gunzip::MAGIC) && ($more = $this->read()) !== '') {
                $first .= $more;
            }

            if (str_starts_with($first, Gunzip::MAGIC)) {
                yield from $this->unpacked($first);

                return;
            }

            for ($chunk = $first; $chunk !== ''; $chunk = $this->read()) {
                yield $chunk;
            }
        } finally {
            fclose($this->stream);
        }
    }

    /** @return iterable<string> */
    private function unpacked(string $first): iterable
    {
        if (! extension_loaded('zlib')) {
            throw UnableToReadLog::missingZlib($this->name);
        }

        $gunzip = new Gunzip;

        for ($chunk = $first; $chunk !== ''; $chunk = $this->read()) {
            yield from $gunzip->add($chunk);

            if ($gunzip->isCorrupt()) {
                throw UnableToReadLog::corrupt($this->name, $this->position);
            }
        }

        if (! $gunzip->isWhole()) {
            throw UnableToReadLog::cutShort($this->name, $this->position);
        }
    }

    /** @return string empty at the end only */
    private function read(): string
    {
        error_clear_last();

        do {
            $bytes = @fread($this->stream, self::CHUNK);
        } while ($bytes === '' && ! feof($this->stream) && error_get_last() === null);

        if ($bytes === false || ($bytes === '' && error_get_last() !== null)) {
            throw UnableToReadLog::failed($this->name, $this->position, UnableToReadLog::lastReason());
        }

        $this->position += strlen($bytes);

        return $bytes;
    }
}
