<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Core\FaultPoint;
use Headroom\Spool\FileStore\Fsync\PowerSync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;

/**
 * What only the first event of a slot needs: its directories, its header, and a look at the room there is.
 *
 * @internal
 */
final readonly class SegmentCreator
{
    /** @param ?PowerSync $power null unless the bucket's durability is power */
    public function __construct(
        private SpoolConfig $config,
        private string $bucket,
        private ?PowerSync $power,
        private ?FaultPoint $checkpoint,
    ) {}

    /**
     * @return resource
     *
     * @throws UnableToAppend
     */
    public function create(string $path)
    {
        return PhpRestrictions::within(fn () => $this->created($path));
    }

    /**
     * @return resource
     *
     * @throws UnableToAppend
     */
    private function created(string $path)
    {
        $permissions = Permissions::of($this->config);
        $layout = new Layout($this->config->path, $this->bucket);

        NodeId::makeBucket($layout, $permissions, $this->checkpoint, $this->power);

        CountersFile::preallocate($layout, $permissions);
        FlushLock::preallocate($layout, $permissions);
        (new StateFile($layout->stateFile, $permissions, isSynced: $this->power !== null))->preallocate();
        $reason = '';
        $slot = FileOperation::run(static fn () => fopen($path, 'aen'), $reason);

        return $slot !== false ? $slot : throw UnableToAppend::notOpened($path, $reason, Permissions::ownership($path));
    }

    /**
     * In one write with the header frame, so that a torn header never holds anything acknowledged.
     *
     * @param resource $slot new
     *
     * @throws UnableToAppend
     */
    public function firstFrames($slot, string $path, string $payload, int $count, int $now): string
    {
        try {
            PhpRestrictions::within(fn () => (new DiskQuota($this->config, $this->bucket))->refuseWithout(strlen($payload)));
        } catch (UnableToAppend|UnableToCall $e) {
            // An empty slot would look like something that is left. Whoever has opened it sees, with the lock, that it is gone.
            @unlink($path);

            throw $e;
        }

        $permissions = Permissions::of($this->config);
        $stat = fstat($slot);

        // The mode came from the umask.
        if ($stat !== false && ($stat['mode'] & 0777) !== $permissions->file) {
            PhpRestrictions::call('chmod', $path, $permissions->file);
        }

        $header = Frame::header(json_encode([
            'format' => 1,
            'node' => NodeId::of($this->config->path, $permissions, $this->checkpoint),
            'bucket' => $this->bucket,
            'uid' => Permissions::currentUser(),
            // Two copies of a log differ from here on, also where the same is written to both.
            'nonce' => bin2hex(random_bytes(8)),
        ], JSON_THROW_ON_ERROR), $now, $this->power !== null);

        if (((strlen($payload) + strlen($header)) & 1) === 1) {
            $payload .= ' ';
        }

        return $header.Frame::events($payload, $count, strlen($header), $now);
    }
}
