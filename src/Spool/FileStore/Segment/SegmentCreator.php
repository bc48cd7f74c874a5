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
 * Begins an active segment: creates its directories and its file, checks the quota and the free space, and builds its
 * header. Only the first event of a segment loads this class.
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
        private ?FaultPoint $faultPoint,
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

        NodeId::makeBucket($layout, $permissions, $this->faultPoint, $this->power);

        CountersFile::preallocate($layout, $permissions);
        FlushLock::preallocate($layout, $permissions);
        (new StateFile($layout->stateFile, $permissions, isSynced: $this->power !== null))->preallocate();
        $reason = '';
        $segment = FileOperation::run(static fn () => fopen($path, 'aen'), $reason);

        return $segment !== false
            ? $segment
            : throw UnableToAppend::notOpened($path, $reason, Permissions::ownership($path));
    }

    /**
     * Builds the header frame and the first frame of events as one string. The writer writes them in one call, so that
     * a segment with a torn header never holds an acknowledged event.
     *
     * @param resource $segment the new file
     *
     * @throws UnableToAppend
     */
    public function firstFrames($segment, string $path, string $payload, int $count, int $now): string
    {
        try {
            PhpRestrictions::within(fn () => (new DiskQuota(
                $this->config,
                $this->bucket,
            ))->requireSpaceFor(strlen($payload)));
        } catch (UnableToAppend|UnableToCall $e) {
            // An empty file would look like waiting events. A writer that has opened it sees, once it has the lock,
            // that the file is gone.
            @unlink($path);

            throw $e;
        }

        $permissions = Permissions::of($this->config);
        $stat = fstat($segment);

        // fopen() has applied the umask to the mode.
        if ($stat !== false && ($stat['mode'] & 0777) !== $permissions->file) {
            PhpRestrictions::call('chmod', $path, $permissions->file);
        }

        $header = Frame::header(json_encode([
            'format' => 1,
            'node' => NodeId::of($this->config->path, $permissions, $this->faultPoint),
            'bucket' => $this->bucket,
            'uid' => Permissions::currentUser(),
            // The nonce makes the segments of two copies of a log differ, even when both get the same events.
            'nonce' => bin2hex(random_bytes(8)),
        ], JSON_THROW_ON_ERROR), $now, $this->power !== null);

        if (((strlen($payload) + strlen($header)) & 1) === 1) {
            $payload .= ' ';
        }

        return $header.Frame::events($payload, $count, strlen($header), $now);
    }
}
