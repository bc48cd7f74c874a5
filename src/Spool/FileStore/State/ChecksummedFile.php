<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Closure;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\PhpRestrictions;

/**
 * A file with two records, which are written alternately. Each is in a block of its own with a generation and a
 * checksum, so a torn write costs at most the newer record. The file has its full size from the beginning, so a full
 * disk does not stop a write.
 *
 * @internal
 */
final readonly class ChecksummedFile
{
    public const BLOCK = 4096;

    /** Magic, generation and length. */
    private const HEADER_BYTES = 16;

    /**
     * @param string $magic four bytes
     * @param bool $isSynced whether each record is put on disk before the writer relies on it
     */
    public function __construct(private string $path, private string $magic, private bool $isSynced = false) {}

    /**
     * Creates the file with its first record in the second block. A failure leaves no file.
     *
     * @param Closure(string): mixed $publish gets the path of the new file and gives it its final name
     */
    public function preallocate(Permissions $permissions, string $json, Closure $publish): void
    {
        $new = "{$this->path}.".bin2hex(random_bytes(4)).'.new';
        $file = $permissions->open($new, 'xe');

        if ($file !== false) {
            $blocks = str_repeat("\0", self::BLOCK).$this->encode(1, $json);
            $isWhole = @fwrite($file, $blocks) === strlen($blocks) && $this->isOnDisk($file);
            fclose($file);

            if ($isWhole) {
                $publish($new);
            }

            @unlink($new);
        }
    }

    /**
     * Puts the file on disk if its records must be there.
     *
     * @param resource $file must not be written to afterwards
     */
    public function isOnDisk($file): bool
    {
        return ! $this->isSynced || PhpRestrictions::call('fsync', $file) === true;
    }

    /** @return string longer than a block when the JSON does not fit */
    public function encode(int $generation, string $json): string
    {
        $record = $this->magic.pack('JN', $generation, strlen($json)).$json;

        return str_pad($record.hash('crc32c', $record, true), self::BLOCK, "\0");
    }

    /**
     * @param string $content both blocks
     * @return array{int, string} generation and JSON of the newer record; generation 0 when neither is valid
     */
    public function newest(string $content): array
    {
        [$first, $second] = [
            $this->decode(substr($content, 0, self::BLOCK)),
            $this->decode(substr($content, self::BLOCK, self::BLOCK)),
        ];

        return $second[0] > $first[0] ? $second : $first;
    }

    /** @return array{int, string} generation 0 when the block holds no valid record */
    private function decode(string $block): array
    {
        if (strlen($block) < self::HEADER_BYTES + 4 || ! str_starts_with($block, $this->magic)) {
            return [0, ''];
        }

        /** @var array{generation: int, length: int} $header */
        $header = unpack('Jgeneration/Nlength', $block, 4);
        $end = self::HEADER_BYTES + $header['length'];

        return hash('crc32c', substr($block, 0, $end), true) === substr($block, $end, 4)
            ? [$header['generation'], substr($block, self::HEADER_BYTES, $header['length'])]
            : [0, ''];
    }
}
