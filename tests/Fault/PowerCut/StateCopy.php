<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

/**
 * A state file beside files that have got other inodes: docs/spool-format.md, "The state file". After a real power cut
 * they have the same.
 */
final readonly class StateCopy
{
    private const BLOCK = 4096;

    /** @param array<int, int> $inodes new ones by old ones; 1 is no file's */
    public function __construct(private array $inodes) {}

    public function of(string $content): string
    {
        return implode('', array_map($this->block(...), $content === '' ? [] : str_split($content, self::BLOCK)));
    }

    private function block(string $block): string
    {
        /** @var array{length: int}|false $header */
        $header = strlen($block) < 20 ? false : unpack('Nlength', $block, 12);
        $end = 16 + ($header === false ? 0 : $header['length']);

        if (
            $header === false
            || $end > self::BLOCK
            || hash('crc32c', substr($block, 0, $end), true) !== substr($block, $end, 4)
        ) {
            return $block;
        }

        $json = (string) preg_replace_callback(
            '/"last_inode":(\d+)/',
            fn (array $m): string => '"last_inode":'.($this->inodes[(int) $m[1]] ?? min(1, (int) $m[1])),
            substr($block, 16, $header['length']),
        );
        $record = substr($block, 0, 12).pack('N', strlen($json)).$json;

        return str_pad($record.hash('crc32c', $record, true), self::BLOCK, "\0");
    }
}
