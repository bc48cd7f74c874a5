<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\HeadroomException;
use Headroom\Core\Problem;

/**
 * What would keep a directory from being a buffer.
 *
 * @internal
 */
final readonly class StoreExamination
{
    public function __construct(private FileStore $store) {}

    /** @return list<Problem> fatal ones about the root first */
    public function problems(): array
    {
        $root = $this->store->root;

        try {
            $this->store->permissions->makeDirectory($root);
            $node = $this->store->node();
        } catch (HeadroomException $e) {
            return [new Problem($root, $e->getMessage(), $this->mend($root))];
        }

        $problem = $this->rootProblem($root);

        return $problem !== null ? [$problem] : [
            ...$this->siblings($root, $node),
            ...$this->foreigners(),
            ...$this->strangersFiles(),
        ];
    }

    private function rootProblem(string $root): ?Problem
    {
        $filesystem = new Filesystem($root);

        if (! $filesystem->isLocal()) {
            return new Problem($root, "It lies on a {$filesystem->type()} filesystem, where locks and appends can fail silently and acknowledged events be lost.", "Point 'path' in config/spool.php to a directory on a local disk.");
        }

        if (! is_writable($root)) {
            return new Problem($root, 'It can not be written by this user. '.Permissions::ownership($root), $this->mend($root));
        }

        $failure = $filesystem->lockFailure();

        return $failure === null ? null : new Problem($root, "Locking does not work there: {$failure}.", "Point 'path' in config/spool.php to a directory on a local disk.");
    }

    /** @return list<Problem> other nodes' logs beside ours that still hold something */
    private function siblings(string $root, string $node): array
    {
        $problems = [];

        foreach ((new Folder($root))->names() as $name) {
            if ($name !== $node && NodeId::isValid($name) && $this->holdsEvents("{$root}/{$name}")) {
                $problems[] = new Problem("{$root}/{$name}", "This directory belongs to another node ({$name}) and still holds events that nobody flushes here.", "If its disk was moved here, put '{$name}' into {$root}/node while nothing is written, flush, and put '{$node}' back.", false);
            }
        }

        return $problems;
    }

    private function holdsEvents(string $directory): bool
    {
        foreach ((new Folder($directory))->names() as $bucket) {
            $layout = new Layout("{$directory}/{$bucket}");

            if ((new Folder($layout->active))->slots() !== [] || (new Folder($layout->sealed))->segments() !== []) {
                return true;
            }
        }

        return false;
    }

    /** @return list<Problem> */
    private function foreigners(): array
    {
        $problems = [];

        foreach ($this->store->buckets() as $bucket) {
            $layout = $this->store->layout($bucket);

            foreach ([$layout->active, $layout->sealed, $layout->completed, $layout->quarantine] as $folder) {
                foreach ((new Folder($folder))->foreign() as $name) {
                    $problems[] = new Problem("{$folder}/{$name}", 'The buffer did not make this file. It is left alone.', 'Move it elsewhere.', false);
                }
            }
        }

        return $problems;
    }

    /** @return list<Problem> what requests wrote as another user and this one could not flush */
    private function strangersFiles(): array
    {
        $problems = [];

        foreach ($this->store->buckets() as $bucket) {
            $layout = $this->store->layout($bucket);
            clearstatcache();

            foreach ([...$layout->directories(), ...array_map(static fn (string $name): string => "{$layout->active}/{$name}", (new Folder($layout->active))->slots())] as $path) {
                if (file_exists($path) && (! is_readable($path) || ! is_writable($path))) {
                    $problems[] = new Problem($path, 'This user could not flush it. '.Permissions::ownership($path), $this->mend($path));
                }
            }
        }

        return $problems;
    }

    private function mend(string $path): string
    {
        $user = function_exists('posix_getpwuid') ? posix_getpwuid(Permissions::currentUser()) : false;
        $name = $user === false ? (string) Permissions::currentUser() : $user['name'];

        return "Run `chown -R {$name} {$path}` as root if only {$name} serves requests and flushes; if they are two users, put both into one group, run `chgrp -R GROUP {$this->store->root} && chmod -R g+rwXs {$this->store->root}`, and set dir_mode 02770 and file_mode 0660 in config/spool.php.";
    }
}
