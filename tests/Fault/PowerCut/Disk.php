<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\PowerCut;

use RuntimeException;

/**
 * A model of a disk and of the memory before it, moved by the calls of a trace. On the disk is what fsync() put there:
 * of a file its content, of a directory its entries. A power cut leaves that, and of what had not
 * been put there anything.
 */
final class Disk
{
    private readonly Inode $root;

    /** @var array<int, Descriptor> */
    private array $open = [];

    /** @var array<int, int> of the files laid out last, by the number they had: slots */
    private array $numbers = [];

    /** @param string $directory as it lies there is on disk to begin with */
    public function __construct(private readonly string $directory)
    {
        $this->root = self::read($directory);
    }

    /** @return ?string the call in words, with paths below the directory; null when it concerns nothing there */
    public function apply(Call $call): ?string
    {
        [$a, $b] = [$call->arguments[0], $call->arguments[1] ?? ''];

        return match ($call->name) {
            'openat' => $this->opened($call),
            'close' => $this->close((int) $a),
            'write', 'pwrite64' => $this->write($call),
            'fstat', 'newfstatat' => $this->number($call),
            'lseek' => $this->seek((int) $a, $call->result),
            'ftruncate' => $this->truncate((int) $a, (int) $b),
            'fsync', 'fdatasync' => $this->sync($call),
            'mkdir' => $this->change('mkdir', $a, new Inode(true)),
            'unlink', 'rmdir' => $this->change($call->name, $a, null),
            'link' => $this->change('link', $b, $this->inode($a)),
            'rename' => $this->rename($a, $b),
            default => null,
        };
    }

    /** Writes what a power cut leaves now. */
    public function cutTo(string $directory, Luck $luck): void
    {
        $this->numbers = [];
        $this->lay($this->root, $directory, $luck);

        foreach ((array) glob("{$directory}/buffer/buckets/*/state") as $state) {
            file_put_contents(
                (string) $state,
                (new StateCopy($this->numbers))->of((string) file_get_contents((string) $state)),
            );
        }
    }

    private function lay(Inode $inode, string $path, Luck $luck): void
    {
        if (! $inode->isDirectory) {
            file_put_contents($path, $inode->contentAfter($luck));

            // The number may be a removed file's as well, and its removal not on disk.
            if (str_contains($path, '/active/')) {
                $this->numbers[$inode->number ?? 0] = (int) fileinode($path);
            }

            return;
        }

        is_dir($path) || mkdir($path, 0700);
        $entries = $inode->entriesOnDisk;

        foreach ($inode->changes as $change) {
            $entries = $luck->has($change) ? $change->onto($inode, $entries) : $entries;
        }

        foreach ($entries as $name => $entry) {
            $this->lay($entry, "{$path}/{$name}", $luck);
        }
    }

    private function opened(Call $call): ?string
    {
        [, $path, $flags] = $call->arguments;
        $inode = $this->inode($path);
        $word = null;

        if ($inode === null && str_contains($flags, 'O_CREAT') && $this->below($path) !== null) {
            $inode = new Inode(false);
            $word = $this->change('create', $path, $inode);
        }

        if ($inode !== null) {
            str_contains($flags, 'O_TRUNC') ? $inode->put(0, null) : null;
            $this->open[$call->result] = new Descriptor(
                $inode,
                (string) $this->below($path),
                str_contains($flags, 'O_APPEND'),
            );
        }

        return $word;
    }

    private function number(Call $call): null
    {
        $open = $this->open[(int) $call->arguments[0]] ?? null;

        if ($open !== null && preg_match('/st_ino=(\d+)/', implode(' ', $call->arguments), $m) === 1) {
            $open->inode->number = (int) $m[1];
        }

        return null;
    }

    private function close(int $descriptor): null
    {
        unset($this->open[$descriptor]);

        return null;
    }

    private function seek(int $descriptor, int $to): null
    {
        isset($this->open[$descriptor]) ? $this->open[$descriptor]->position = $to : null;

        return null;
    }

    private function write(Call $call): ?string
    {
        $open = $this->open[(int) $call->arguments[0]] ?? null;

        if ($open === null) {
            return null;
        }

        $at = match (true) {
            $call->name === 'pwrite64' => (int) $call->arguments[3],
            $open->appends => strlen($open->inode->content),
            default => $open->position,
        };
        $open->inode->put($at, substr($call->arguments[1], 0, $call->result));
        $open->position = $call->name === 'pwrite64' ? $open->position : $at + $call->result;

        return "write {$open->path}";
    }

    private function truncate(int $descriptor, int $size): ?string
    {
        $open = $this->open[$descriptor] ?? null;
        $open?->inode->put($size, null);

        return $open === null ? null : "truncate {$open->path}";
    }

    private function sync(Call $call): ?string
    {
        $open = $this->open[(int) $call->arguments[0]] ?? null;

        if (! $call->failed) {
            $open?->inode->sync();
        }

        return $open === null ? null : $call->name.($call->failed ? ' fails ' : ' ').$open->path;
    }

    private function change(string $verb, string $path, ?Inode $inode): ?string
    {
        if ($this->below($path) === null) {
            return null;
        }

        new Change([[$this->parent($path), basename($path), $inode]]);

        return "{$verb} {$this->below($path)}";
    }

    private function rename(string $from, string $to): ?string
    {
        if ($this->below($from) === null) {
            return null;
        }

        new Change([
            [$this->parent($from), basename($from), null],
            [$this->parent($to), basename($to), $this->inode($from)],
        ]);

        return "rename {$this->below($from)} {$this->below($to)}";
    }

    private function parent(string $path): Inode
    {
        return $this->inode(dirname($path)) ?? throw new RuntimeException("{$path} lies nowhere.");
    }

    private function inode(string $path): ?Inode
    {
        $below = $this->below($path);
        $inode = $below === null ? null : $this->root;

        foreach (array_filter(explode('/', (string) $below), static fn (string $name): bool => $name !== '') as $name) {
            $inode = $inode->entries[$name] ?? null;
        }

        return $inode;
    }

    /** @return ?string '' for the directory itself */
    private function below(string $path): ?string
    {
        return str_starts_with("{$path}/", "{$this->directory}/") ? substr($path, strlen($this->directory) + 1) : null;
    }

    private static function read(string $path): Inode
    {
        $inode = new Inode(is_dir($path));

        foreach ($inode->isDirectory ? array_diff((array) scandir($path), ['.', '..']) : [] as $name) {
            $inode->entries[(string) $name] = self::read("{$path}/{$name}");
        }

        $inode->entriesOnDisk = $inode->entries;
        $inode->content = $inode->contentOnDisk = $inode->isDirectory ? '' : (string) file_get_contents($path);

        return $inode;
    }
}
