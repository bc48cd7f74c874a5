<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\State\NodeId;

/**
 * Whether a deploy would leave the buffer behind: one that lies in a directory per release, beside a symlink that is
 * switched, is a new and empty one after each deploy, and no process flushes the old one.
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
                "It lies in {$directory}, {$why}. A deploy that switches releases begins a new buffer there, and nothing delivers the events in the old one.",
                'Point spool.path to a directory that all releases share, such as '.dirname($directory, 2)
                    .'/shared/buffer, and after the next deploy run `spool:adopt '.$real.'`.',
                false,
            ),
            ...$this->abandoned($directory, $inside),
        ];
    }

    /** Where it is, or where the first event would make it. */
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

    /** @return ?array{string, string} the release, and what shows that it is one */
    private function release(string $real): ?array
    {
        for ($directory = dirname($real); $directory !== dirname($directory); $directory = dirname($directory)) {
            $around = dirname($directory);

            if (basename($around) === 'releases') {
                return [$directory, "a directory in 'releases'"];
            }

            foreach (['current', 'live', 'latest', 'release'] as $name) {
                if (is_link("{$around}/{$name}") && realpath("{$around}/{$name}") === $directory) {
                    return [$directory, "to which the symlink {$around}/{$name} leads"];
                }
            }
        }

        return null;
    }

    /** @return list<Finding> buffers of the releases beside it in which something waits */
    private function abandoned(string $release, string $inside): array
    {
        $problems = [];

        foreach (DirectoryListing::asSeen(dirname($release))->names() as $name) {
            $other = dirname($release)."/{$name}";

            if (is_link($other) || $other === $release || NodeId::read("{$other}{$inside}") === null) {
                continue;
            }

            $bytes = $this->waiting("{$other}{$inside}");

            if ($bytes > 0) {
                $problems[] = new Finding(
                    "{$other}{$inside}",
                    "This buffer of another release holds {$bytes} bytes of undelivered events. They are removed with that release.",
                    "Run `spool:adopt {$other}{$inside}` before it is removed.",
                );
            }
        }

        return $problems;
    }

    private function waiting(string $root): int
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
