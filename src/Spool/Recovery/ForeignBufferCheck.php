<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

use Headroom\Core\Finding;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\Health\DirectoryIsUnusable;
use Headroom\Spool\Health\PermissionFix;
use Headroom\Support\Path;

/**
 * Checks whether a directory is the buffer of another machine and can be delivered from this one.
 *
 * @internal
 */
final readonly class ForeignBufferCheck
{
    public function __construct(
        private FileStore $own,
        private FileStore $other,
        private bool $allowNetwork,
        private ?FilesystemProbe $filesystem = null,
    ) {}

    /**
     * @return string the node id of that buffer
     *
     * @throws UnableToAdopt
     */
    public function check(): string
    {
        clearstatcache();
        $root = $this->other->root;

        if (realpath($root) !== false && realpath($root) === realpath($this->own->root)) {
            throw UnableToAdopt::ownRoot($root, $this->own->root);
        }

        if (! Path::isAbsent("{$root}/node") && ! is_readable("{$root}/node")) {
            throw UnableToAdopt::obstacle(
                $root,
                new Finding(
                    "{$root}/node",
                    'This user cannot read it. '.Permissions::ownership("{$root}/node"),
                    (new PermissionFix($root))->access("{$root}/node"),
                ),
                false,
            );
        }

        $node = NodeId::read($root);

        // NodeId::read(), because the store would create a missing id.
        if ($node === null || ! is_dir("{$root}/buckets")) {
            throw UnableToAdopt::noBuffer($root);
        }

        if ($node === NodeId::read($this->own->root)) {
            throw UnableToAdopt::ownNode($root, $node);
        }

        $this->requireUsable();

        return $node;
    }

    /** @throws UnableToAdopt */
    private function requireUsable(): void
    {
        $filesystem = $this->filesystem ?? new FilesystemProbe($this->other->root);

        foreach ((new DirectoryIsUnusable($this->other, $this->allowNetwork, $filesystem))->findings() as $problem) {
            if ($problem->fatal) {
                throw UnableToAdopt::obstacle(
                    $this->other->root,
                    $problem,
                    ! $this->allowNetwork && ! $filesystem->isLocal(),
                );
            }
        }
    }
}
