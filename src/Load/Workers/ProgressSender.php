<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Closure;
use Headroom\Load\Progress;
use Headroom\Load\Watcher;
use Headroom\Process\Supervision\Channel;

/**
 * Sends the progress of a worker, and ends its run when it is told to stop or the supervisor has ended.
 *
 * @internal
 */
final readonly class ProgressSender implements Watcher
{
    /** @param Closure(): void $stop */
    public function __construct(private Channel $supervisor, private Closure $stop) {}

    public function watch(Progress $progress): void
    {
        $this->supervisor->send(MessageType::Progress->value, ResultCodec::encodeProgress($progress));

        // During the run there is no message but "stop".
        if ($this->supervisor->receive() !== [] || $this->supervisor->isClosed()) {
            ($this->stop)();
        }
    }
}
