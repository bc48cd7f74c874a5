<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\State\NodeId;

/**
 * A buffer inside the directory of a release. After a deploy that switches a symlink to a new release, the application
 * starts with an empty buffer, and no process flushes the old one.
 *
 * @internal
 */
final readonly class BufferIsInRelease implements HealthCheck
{
    public function __construct(private string $root) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        $real = $this->real();
        $release = $this->release($real);

        if ($release === null) {
            return [];
        }

        [$directory, $why] = $release;
        $inside = substr($real, strlen($directory));

        return [
            new Finding(
                $this->root,
                "It is in {$directory}, {$why}. The next deploy starts a new buffer, and no process delivers the"
                    .' events in this one.',
                'Set spool.path to a directory that all releases share, such as '.dirname($directory, 2)
                    .'/shared/buffer. After the next deploy run `spool:adopt '.$real.'`.',
                false,
            ),
            ...$this->abandoned($directory, $inside),
        ];
    }

    /** The real path of the buffer, or of the directory that the first event would create. */
    private function real(): string
    {
        $path = $this->root;
        $rest = '';

        while (! file_exists($path) && $path !== dirname($path)) {
            $rest = '/'.basename($path).$rest;
            $path = dirname($path);
        }

        return rtrim((string) realpath($path), '/').$rest;
    }

    /** @return ?array{string, string} the directory of the release, and the evidence for it */
    private function release(string $real): ?array
    {
        for ($directory = dirname($real); $directory !== dirname($directory); $directory = dirname($directory)) {
            $parent = dirname($directory);

            if (basename($parent) === 'releases') {
                return [$directory, "a directory in 'releases'"];
            }

            foreach (['current', 'live', 'latest', 'release'] as $name) {
                if (is_link("{$parent}/{$name}") && realpath("{$parent}/{$name}") === $directory) {
                    return [$directory, "the target of the symlink {$parent}/{$name}"];
                }
            }
        }

        return null;
    }

    /** @return list<Finding> buffers with undelivered events in other releases */
    private function abandoned(string $release, string $inside): array
    {
        $problems = [];

        foreach (DirectoryListing::asSeen(dirname($release))->names() as $name) {
            $other = dirname($release)."/{$name}";

            if (is_link($other) || $other === $release || NodeId::read("{$other}{$inside}") === null) {
                continue;
            }

            $bytes = $this->undeliveredBytes("{$other}{$inside}");

            if ($bytes > 0) {
                $problems[] = new Finding(
                    "{$other}{$inside}",
                    "This buffer of another release holds {$bytes} bytes of undelivered events. They are removed with"
                        .' that release.',
                    "Run `spool:adopt {$other}{$inside}` before the release is removed.",
                );
            }
        }

        return $problems;
    }

    private function undeliveredBytes(string $root): int
    {
        $bytes = 0;

        foreach (DirectoryListing::asSeen("{$root}/buckets")->names() as $bucket) {
            foreach (['active', 'sealed'] as $folder) {
                foreach (DirectoryListing::asSeen("{$root}/buckets/{$bucket}/{$folder}")->names() as $name) {
                    $bytes += (int) @filesize("{$root}/buckets/{$bucket}/{$folder}/{$name}");
                }
            }
        }

        return $bytes;
    }
}
