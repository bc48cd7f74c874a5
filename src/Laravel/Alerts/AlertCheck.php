<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Core\Clock;
use Headroom\Spool\Alerts\AlertFile;
use Headroom\Spool\Alerts\AlertLog;
use Headroom\Spool\Alerts\AlertWatch;
use Headroom\Spool\Alerts\ChannelRecord;
use Headroom\Spool\Alerts\Decision;
use Headroom\Spool\Alerts\Observation;
use Headroom\Spool\Alerts\UnableToRecord;
use Throwable;

/**
 * One check: looks, decides for each channel, sends, and records what was taken. It holds no lock while it sends, so a
 * receiver that hangs delays only this process.
 *
 * @internal
 */
final readonly class AlertCheck
{
    /** The record of failures of the check itself. No channel has this name. */
    private const OWN = 'check';

    /** @param list<AlertChannel> $channels the one that may hang longest is the last */
    public function __construct(
        private AlertWatch $watch,
        private AlertFile $file,
        private array $channels,
        private AlertSender $sender,
        private AlertLog $log,
        private Clock $clock,
    ) {}

    /**
     * @return list<AlertDelivery> of channels that were to be told something
     *
     * @throws UnableToRecord
     */
    public function run(): array
    {
        $decisions = $this->claim($this->watch->look());
        $deliveries = [];

        foreach ($this->channels as $channel) {
            if (isset($decisions[$channel->name()])) {
                $deliveries[] = $this->deliver($channel, $decisions[$channel->name()]);
            }
        }

        return $deliveries;
    }

    /** A line about the check itself, such as an invalid setting, at most once an hour. */
    public static function logFailure(AlertFile $file, AlertLog $log, Throwable $failure): void
    {
        $line = "the alerts could not be checked: {$failure->getMessage()}";

        try {
            $file->update(static function (array $records) use ($log, $line): array {
                $records[self::OWN] = $log->note($records[self::OWN] ?? new ChannelRecord, $line);

                return $records;
            });
        } catch (UnableToRecord) {
            $log->write($line);
        }
    }

    /** @return array<string, Decision> by channel; only channels that have to be told something */
    private function claim(Observation $seen): array
    {
        $decisions = [];
        $this->file->update(function (array $records) use ($seen, &$decisions): array {
            $now = intdiv($this->clock->micros(), 1_000_000);
            $after = [];

            foreach ($this->channels as $channel) {
                $name = $channel->name();
                $record = $records[$name] ?? new ChannelRecord;

                if ($record->isClaimed($now)) {
                    $after[$name] = $record;

                    continue;
                }

                if ($record->isAbandoned($now)) {
                    $record = $this->log->note($record, "the alert channel '{$name}' hung until its process was ended."
                        .' The next checks try again.');
                }

                $decision = $record->decide($seen, $now);
                $after[$name] = $decision->untold;

                if (! $decision->isSilent()) {
                    $after[$name] = $decision->untold->claimed($now, $decision->raised);
                    $decisions[$name] = $decision;
                }
            }

            return $after;
        });

        return $decisions;
    }

    private function deliver(AlertChannel $channel, Decision $decision): AlertDelivery
    {
        $delivery = $this->sender->report($channel, $decision);

        try {
            $this->file->update(function (array $records) use ($channel, $decision, $delivery): array {
                $records[$channel->name()] = $delivery->failure === null ? $decision->told : $this->log->note(
                    $decision->untold,
                    "the alert channel '{$channel->name()}' took no message: {$delivery->failure} The next checks try"
                        .' again.',
                );

                return $records;
            });
        } catch (UnableToRecord $e) {
            $this->log->write($e->getMessage());
        }

        return $delivery;
    }
}
