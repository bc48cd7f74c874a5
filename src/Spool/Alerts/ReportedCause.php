<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Headroom\Support\Utf8Cut;

/**
 * What a channel was told about one problem. Times are seconds since the Unix epoch.
 *
 * @internal
 */
final readonly class ReportedCause
{
    /** At most one message in this time is about one problem. */
    public const INTERVAL_SECONDS = 3600;

    /** A time further in the future means that the clock was set back. */
    private const MAX_AHEAD_SECONDS = 300;

    /** The time of a message that may have been sent: its process has ended before it could record that. */
    private const UNKNOWN = 0;

    /** After maintenance mode or a reboot the next flush comes within a minute. */
    private const LATE_SECONDS = 90;

    /** The scheduler starts the check and a flush at once, and that flush may succeed. The next check sees it. */
    private const STOPPED_SECONDS = 45;

    /** Other machines need it after maintenance mode or an outage of the database, until their next heartbeat. */
    private const SILENT_SECONDS = 150;

    private const SUBJECT_BYTES = 200;

    /**
     * @param ?int $since when it was first seen; null while it is gone
     * @param ?int $toldAt when the last message about it was sent
     * @param int $seconds how long it lasted
     * @param LetterCount $told the numbers in the last message
     */
    private function __construct(
        public AlertCause $cause,
        public string $subject,
        public ?string $bucket,
        private ?int $since,
        private ?int $toldAt = null,
        public ReportState $state = ReportState::Closed,
        private int $seconds = 0,
        private LetterCount $told = new LetterCount,
    ) {}

    public static function of(Alert $alert, int $now): self
    {
        return new self($alert->cause, Utf8Cut::cut($alert->subject, self::SUBJECT_BYTES), $alert->bucket, $now);
    }

    /** Whether the table of nodes shows it, and not the disk of this machine. */
    public function isOfNodes(): bool
    {
        return $this->cause === AlertCause::NodeSilent
            || ($this->cause === AlertCause::Fork && $this->bucket === null);
    }

    public function seen(LetterCount $letters, int $now): self
    {
        return $this->with(
            min($this->since ?? $now, $now),
            $this->state === ReportState::Gone ? ReportState::Open : $this->state,
            $this->told->least($letters),
        );
    }

    public function gone(int $now): self
    {
        $isEnding = $this->since !== null;

        return new self(
            $this->cause,
            $this->subject,
            $this->bucket,
            null,
            $this->toldAt,
            $this->state === ReportState::Open ? ReportState::Gone : $this->state,
            $isEnding ? max(0, $now - $this->since) : $this->seconds,
        );
    }

    public function isDue(LetterCount $letters, int $now): bool
    {
        return match (true) {
            $this->toldAt !== null && ! self::isOver($this->toldAt, $now) => false,
            $this->cause === AlertCause::DeadLetters => $letters->exceeds($this->told),
            $this->state !== ReportState::Closed => $this->toldAt === self::UNKNOWN,
            default => $now - ($this->since ?? $now) >= match ($this->cause) {
                AlertCause::NothingDelivers => self::LATE_SECONDS,
                AlertCause::BucketStopped => self::STOPPED_SECONDS,
                AlertCause::NodeSilent => self::SILENT_SECONDS,
                default => 0,
            },
        };
    }

    public function told(LetterCount $letters, int $now): self
    {
        return $this->with($this->since, ReportState::Open, $letters, $now);
    }

    public function sent(): self
    {
        return $this->with($this->since, ReportState::Open, $this->told, self::UNKNOWN);
    }

    public function closed(): self
    {
        return $this->with($this->since, ReportState::Closed, $this->told);
    }

    /** Whether forgetting it changes no later message. */
    public function isForgettable(int $now): bool
    {
        return $this->since === null && $this->state === ReportState::Closed
            && ($this->toldAt === null || self::isOver($this->toldAt, $now));
    }

    public function resolved(): ResolvedAlert
    {
        return new ResolvedAlert($this->cause, $this->subject, $this->bucket, $this->seconds);
    }

    /** @return list<int|string|null> */
    public function toArray(): array
    {
        return [
            $this->cause->value, $this->subject, $this->bucket, $this->since, $this->toldAt, $this->state->value,
            $this->seconds, $this->told->letters, $this->told->dead,
        ];
    }

    /** @return ?self null for anything but the result of toArray() */
    public static function fromArray(mixed $values): ?self
    {
        if (! is_array($values) || ! array_is_list($values) || count($values) !== 9) {
            return null;
        }

        [$cause, $subject, $bucket, $since, $toldAt, $state, $seconds, $letters, $dead] = $values;
        $cause = is_string($cause) ? AlertCause::tryFrom($cause) : null;
        $state = is_string($state) ? ReportState::tryFrom($state) : null;

        return $cause !== null && $state !== null && is_string($subject) && is_int($seconds)
            && is_int($letters) && is_int($dead)
            && ($bucket === null || is_string($bucket))
            && ($since === null || is_int($since))
            && ($toldAt === null || is_int($toldAt))
            ? new self($cause, $subject, $bucket, $since, $toldAt, $state, $seconds, new LetterCount($letters, $dead))
            : null;
    }

    private static function isOver(int $toldAt, int $now): bool
    {
        $age = $now - $toldAt;

        return $age >= self::INTERVAL_SECONDS || $age < -self::MAX_AHEAD_SECONDS;
    }

    private function with(?int $since, ReportState $state, LetterCount $told, ?int $toldAt = null): self
    {
        return new self(
            $this->cause,
            $this->subject,
            $this->bucket,
            $since,
            $toldAt ?? $this->toldAt,
            $state,
            $this->seconds,
            $told,
        );
    }
}
