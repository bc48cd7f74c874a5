<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Sink\Source;
use Headroom\Spool\Buffer;
use Headroom\Spool\Claim;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * The buffer on a local disk: docs/spool-format.md.
 *
 * @internal
 */
final readonly class FileStore implements Store
{
    /** @param ?Buffer $buffer of this process, if it writes as well */
    public function __construct(
        public string $root,
        public Permissions $permissions,
        private Clock $clock,
        private ?Buffer $buffer = null,
        private ?Checkpoint $checkpoint = null,
    ) {}

    public function claim(string $bucket): ?Claim
    {
        $layout = $this->layout($bucket);
        $node = $this->node();

        foreach ($layout->directories() as $directory) {
            $this->permissions->makeDirectory($directory);
        }

        $lock = FlushLock::acquire($layout, $this->permissions, $this->checkpoint);

        if ($lock === null) {
            return null;
        }

        $this->buffer?->giveBack($bucket);
        $state = new StateFile($layout->stateFile, $this->permissions, $lock);

        try {
            $obstacle = (new Sealer($layout, $state, $this->clock, $this->checkpoint))->sealAll();
        } catch (Throwable $e) {
            $lock->release();

            throw $e;
        }

        return new FileClaim(new Source($node, $bucket), new FileLog($layout, $state, $this->permissions), $lock, $layout, $this->checkpoint, $obstacle);
    }

    public function buckets(): array
    {
        $directory = "{$this->root}/buckets";

        if (! Permissions::isAbsent($directory) && ! (is_readable($directory) && is_executable($directory))) {
            throw UnableToFlush::notPermitted('read', $directory, 'permission denied', Permissions::ownership($directory));
        }

        return array_values(array_filter((new Folder($directory))->names(), static fn (string $name): bool => SpoolConfig::isBucketName($name) && is_dir("{$directory}/{$name}") && ! is_link("{$directory}/{$name}")));
    }

    /** Nobody has written to it yet. Without the id alone it is no such case: events may lie there. */
    public function isUntouched(): bool
    {
        return Permissions::isAbsent("{$this->root}/node") && Permissions::isAbsent("{$this->root}/buckets");
    }

    /** Read each time: the root can be moved away or emptied under a process that lives long. */
    public function node(): string
    {
        return NodeId::of($this->root, $this->permissions, $this->checkpoint);
    }

    public function layout(string $bucket): Layout
    {
        return new Layout($this->root, SpoolConfig::bucketName($bucket));
    }
}
