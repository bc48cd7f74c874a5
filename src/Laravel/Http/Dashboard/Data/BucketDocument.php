<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Core\HeadroomException;
use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Cron;
use Headroom\Spool\Services\SpoolServices;

/**
 * One bucket: its numbers, its settings as they are in force, and its last failures.
 *
 * @internal
 */
final readonly class BucketDocument
{
    public function __construct(private SpoolServices $spool) {}

    /** @return array<string, mixed> */
    public function toArray(string $bucket): array
    {
        $config = $this->config($bucket);

        return [
            'bucket' => (new BucketSummary($this->spool))->toArray($this->spool->bucketWithoutSql($bucket)),
            'settings' => $config === null ? [] : $this->settings($config),
            'failures' => $this->failures($bucket),
            'schedule' => match (true) {
                $config === null || ! $this->spool->config()->schedule() => null,
                $config->schedule instanceof Cron => $config->schedule->expression,
                default => $config->schedule ? 'every minute' : null,
            },
            'sink_name' => $config?->sink,
        ];
    }

    private function config(string $bucket): ?BucketConfig
    {
        try {
            return $this->spool->config()->bucket($bucket);
        } catch (HeadroomException) {
            return null; // The bucket's error names the invalid setting.
        }
    }

    /** @return list<array{name: string, value: string, is_default: bool}> options of the sink may hold passwords */
    private function settings(BucketConfig $config): array
    {
        $rate = $config->rateLimit;
        $one = static fn (string $name, string|int|null $value, string|int|null $default): array
            => ['name' => $name, 'value' => (string) ($value ?? 'none'), 'is_default' => $value === $default];

        return [
            $one('sink', $config->sink, BucketConfig::CALLBACK),
            $one('store', $this->spool->stores()->isOnRedis($config->name) ? 'redis' : 'file', 'file'),
            $one('batch', $config->batch, BucketConfig::KEYS['batch']['default']),
            $one('durability', $config->durability->value, BucketConfig::KEYS['durability']['default']),
            $one('overflow', $config->overflow->value, BucketConfig::KEYS['overflow']['default']),
            $one('max_bytes', $config->maxBytes, null),
            $one('rate_limit', $rate === null ? null : $rate->words(), null),
            $one('tries', $config->tries, null),
            $one('utf8', $config->utf8->value, BucketConfig::KEYS['utf8']['default']),
            $one('schedule', match (true) {
                $config->schedule instanceof Cron => $config->schedule->expression,
                default => $config->schedule ? 'every minute' : 'off',
            }, 'every minute'),
            $one('redact', $this->spool->settings()->redaction($config->name) === null ? null : 'set', null),
        ];
    }

    /** @return list<array{at: float, message: string, times: int}> */
    private function failures(string $bucket): array
    {
        $failures = [];

        foreach ($this->spool->historyOf($bucket)->failures() as $failure) {
            $failures[] = [
                'at' => $failure->at / 1_000_000,
                'message' => Sentences::withCommands($failure->message),
                'times' => $failure->times,
            ];
        }

        return $failures;
    }
}
