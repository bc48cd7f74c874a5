<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\Throttle;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * Warns in the application's log that nothing delivers a bucket. A request appends and does not deliver, so without a
 * scheduler or a worker no other process would ever report it. The log may append to the buffer itself: the turn is
 * taken before the line is written, so that append writes no second one.
 *
 * @internal
 */
final readonly class UndeliveredWarning
{
    private const INTERVAL_SECONDS = 600;

    public function __construct(
        private SpoolConfig $config,
        private Clock $clock,
        private Notifier $notifier,
        private DeliveryDelay $delay,
    ) {}

    /**
     * @param string $segment path of the oldest active segment
     *
     * @throws HeadroomException the configuration is invalid, or a pause cannot be read
     */
    public function check(string $bucket, string $segment): void
    {
        $path = (new Layout($this->config->path, $bucket))->warnedFile;
        $throttle = new Throttle($path, Permissions::of($this->config), $this->clock);

        // Without a log the turn is left to a process that has one.
        if (! $this->notifier->hasLogger() || ! $throttle->isDue(self::INTERVAL_SECONDS)) {
            return;
        }

        $oldest = DeliveryDelay::acceptedAt($segment);
        $seconds = $oldest === null ? null : $this->delay->seconds($bucket, $oldest);

        // The turn is taken also when the events wait on purpose, so that the next appends need not find out again.
        if (
            $oldest === null
            || $seconds === null
            || $throttle->claimTurn(self::INTERVAL_SECONDS) === null
            || $this->delay->isExpected($bucket, $oldest)
        ) {
            return;
        }

        if ($this->delay->isLasting($bucket)) {
            $this->warn('spool: '.DeliveryDelay::message($bucket, $seconds));
        } else {
            $throttle->postpone(DeliveryDelay::GRACE_SECONDS, self::INTERVAL_SECONDS);
        }
    }

    private function warn(string $message): void
    {
        try {
            $this->notifier->logger()->warning($message);
        } catch (Throwable $e) {
            PhpRestrictions::call('error_log', "{$message} (The application's log failed: {$e->getMessage()})");
        }
    }
}
