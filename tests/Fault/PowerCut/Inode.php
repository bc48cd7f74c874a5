<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

/**
 * A file or directory, as it is in memory and as it is on disk.
 */
final class Inode
{
    private const SECTOR = 512;

    /** @var array<string, self> of a directory: by name */
    public array $entries = [];

    /** @var array<string, self> */
    public array $entriesOnDisk = [];

    /** @var list<Change> of a directory, not on disk yet */
    public array $changes = [];

    /** The number in the world that was traced; null when the trace does not have it. */
    public ?int $number = null;

    public string $content = '';

    public string $contentOnDisk = '';

    /** @var list<array{int, string|null}> of a file, not on disk yet: offset and bytes, or a new size and null */
    public array $writes = [];

    public function __construct(public readonly bool $isDirectory) {}

    public function put(int $offset, ?string $bytes): void
    {
        $this->content = self::changed($this->content, $offset, $bytes);
        $this->writes[] = [$offset, $bytes];
    }

    public function sync(): void
    {
        $this->contentOnDisk = $this->content;
        $this->writes = [];

        foreach ($this->changes as $change) {
            $change->reachDisk();
        }

        $this->changes = [];
    }

    public function contentAfter(Luck $luck): string
    {
        $content = $this->contentOnDisk;

        foreach ($this->writes as [$offset, $bytes]) {
            $length = strlen($bytes ?? '');
            $sectors = $luck->sectors(intdiv($length, self::SECTOR) + 1);

            if ($sectors !== null) {
                $content = self::changed(
                    $content,
                    $offset,
                    $bytes === null ? null : substr($bytes, 0, $sectors * self::SECTOR),
                );
            }
        }

        return $content;
    }

    public static function changed(string $content, int $offset, ?string $bytes): string
    {
        if ($bytes === null) {
            return str_pad(substr($content, 0, $offset), $offset, "\0");
        }

        return substr(str_pad($content, $offset, "\0"), 0, $offset).$bytes
            .substr($content, min(strlen($content), $offset + strlen($bytes)));
    }
}
