<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Closure;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\PhpRestrictions;

/**
 * Two records in turn, each in a block of its own with a generation and a checksum: a torn write costs at most the
 * newer record. The file has its full size from the beginning, so a full disk does not stop a write.
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
     * @param bool $isSynced each record is on disk before the writer relies on it
     */
    public function __construct(private string $path, private string $magic, private bool $isSynced = false) {}

    /**
     * Makes the file with its first record, in the second block. A failure leaves no file.
     *
     * @param Closure(string): mixed $publish gives the new file its name
     */
    public function preallocate(Permissions $permissions, string $json, Closure $publish): void
    {
        $own = "{$this->path}.".bin2hex(random_bytes(4)).'.new';
        $file = $permissions->open($own, 'xe');

        if ($file !== false) {
            $fresh = str_repeat("\0", self::BLOCK).$this->encode(1, $json);
            $isWhole = @fwrite($file, $fresh) === strlen($fresh) && $this->isOnDisk($file);
            fclose($file);

            if ($isWhole) {
                $publish($own);
            }

            @unlink($own);
        }
    }

    /** @param resource $file not written to again */
    public function isOnDisk($file): bool
    {
        return ! $this->isSynced || PhpRestrictions::call('fsync', $file) === true;
    }

    /** @return string longer than a block where the JSON does not fit */
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
