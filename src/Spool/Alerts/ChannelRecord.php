<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * What one channel was told, so that each message is sent once. Each channel has a record of its own: if one cannot be
 * reached, only that one gets the message later.
 *
 * @internal
 */
final readonly class ChannelRecord
{
    /** No attempt takes longer. A process that has claimed a channel for longer has ended. */
    public const CLAIM_SECONDS = 120;

    private const LOG_SECONDS = 3600;

    /**
     * @param array<string, ReportedCause> $causes by key of the alert
     * @param ?int $claimedAt when a process began to send, in seconds since the Unix epoch
     * @param ?int $loggedAt when the log last got a failure of this channel
     */
    public function __construct(
        public array $causes = [],
        private ?int $claimedAt = null,
        private ?int $loggedAt = null,
    ) {}

    public function isClaimed(int $now): bool
    {
        return $this->claimedAt !== null && abs($now - $this->claimedAt) < self::CLAIM_SECONDS;
    }

    /** Whether the process that was to send has ended without a word. */
    public function isAbandoned(int $now): bool
    {
        return $this->claimedAt !== null && ! $this->isClaimed($now);
    }

    /** @param list<Alert> $raised problems that are sent now */
    public function claimed(int $now, array $raised = []): self
    {
        $causes = $this->causes;

        foreach ($raised as $alert) {
            $causes[$alert->key()] = $causes[$alert->key()]->sent();
        }

        return new self($causes, $now, $this->loggedAt);
    }

    public function isLogDue(int $now): bool
    {
        return $this->loggedAt === null || abs($now - $this->loggedAt) >= self::LOG_SECONDS;
    }

    public function logged(int $now): self
    {
        return new self($this->causes, $this->claimedAt, $now);
    }

    /** The record of a channel that was kept in two places. */
    public function joined(self $earlier): self
    {
        return new self($this->causes + $earlier->causes, $this->claimedAt, $this->loggedAt ?? $earlier->loggedAt);
    }

    public function decide(Observation $seen, int $now): Decision
    {
        $observed = [];
        $told = [];
        $raised = [];

        foreach ($seen->alerts as $key => $alert) {
            $letters = $seen->letters[$key] ?? new LetterCount;
            $observed[$key] = ($this->causes[$key] ?? ReportedCause::of($alert, $now))->seen($letters, $now);

            if ($observed[$key]->isDue($letters, $now)) {
                $raised[] = $alert;
                $told[$key] = $observed[$key]->told($letters, $now);
            }
        }

        $observed += $this->absent($seen, $now);
        $gone = array_filter($observed, static fn (ReportedCause $one): bool => $one->state === ReportState::Gone);
        $open = array_filter($observed, static fn (ReportedCause $one): bool => $one->state === ReportState::Open);
        $isWell = $raised === [] && self::isWell($gone, $open);

        foreach ($isWell ? $gone : [] as $key => $cause) {
            $told[$key] = $cause->closed();
        }

        return new Decision(
            $raised,
            $isWell
                ? array_values(array_map(static fn (ReportedCause $one): ResolvedAlert => $one->resolved(), $gone))
                : [],
            array_values(array_intersect_key($seen->alerts, $open)),
            new self($observed, null, $this->loggedAt),
            new self(array_replace($observed, $told)),
        );
    }

    /** @return array{claimed: ?int, logged: ?int, causes: array<string, list<int|string|null>>} */
    public function toArray(): array
    {
        return [
            'claimed' => $this->claimedAt,
            'logged' => $this->loggedAt,
            'causes' => array_map(static fn (ReportedCause $one): array => $one->toArray(), $this->causes),
        ];
    }

    /** @param mixed $values anything; what is not the result of toArray() stands for nothing */
    public static function fromArray(mixed $values): self
    {
        $values = is_array($values) ? $values : [];
        $time = static fn (string $name): ?int => is_int($values[$name] ?? null) ? $values[$name] : null;
        $causes = [];

        foreach (is_array($values['causes'] ?? null) ? $values['causes'] : [] as $key => $one) {
            $cause = ReportedCause::fromArray($one);

            if ($cause !== null) {
                $causes[(string) $key] = $cause;
            }
        }

        return new self($causes, $time('claimed'), $time('logged'));
    }

    /** @return array<string, ReportedCause> */
    private function absent(Observation $seen, int $now): array
    {
        $kept = [];

        foreach (array_diff_key($this->causes, $seen->alerts, array_flip($seen->elsewhere)) as $key => $cause) {
            $after = $seen->knows($cause) ? $cause->gone($now) : $cause;

            if (! $after->isForgettable($now)) {
                $kept[$key] = $after;
            }
        }

        return $kept;
    }

    /**
     * Old dead letters do not keep the channel from learning that the events are delivered again.
     *
     * @param array<string, ReportedCause> $gone
     * @param array<string, ReportedCause> $open
     */
    private static function isWell(array $gone, array $open): bool
    {
        $isOther = static fn (ReportedCause $one): bool => $one->cause !== AlertCause::DeadLetters;

        return $gone !== [] && array_filter($open, $isOther) === []
            && ($open === [] || array_filter($gone, $isOther) !== []);
    }
}
