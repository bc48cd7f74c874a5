<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\UnableToCount;
use Headroom\Spool\Services\SpoolServices;

/**
 * Buckets that refuse events, or are about to.
 *
 * @internal
 */
final readonly class AppendsAreRefused implements HealthCheck
{
    private const NEARLY_USED_PERCENT = 80;

    public function __construct(private SpoolServices $spool) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        if ($this->spool->isUntouched()) {
            return [];
        }

        $problems = $this->reserve();

        foreach ($this->spool->store()->buckets() as $name) {
            $problems = [...$problems, ...$this->incident($name), ...$this->quota($name)];
        }

        return $problems;
    }

    /** @return list<Finding> */
    private function reserve(): array
    {
        $config = $this->spool->config();
        $free = (new DiskQuota($config, 'any'))->free();

        return $config->minFreeBytes() === 0 || $free === null || $free >= $config->minFreeBytes() ? [] : [new Finding(
            $config->path,
            "Its disk has {$free} bytes left, and 'min_free_bytes' leaves {$config->minFreeBytes()} alone: no new file is begun, so that events are refused.",
            AppendFailure::Reserve->fix(),
        )];
    }

    /** @return list<Finding> */
    private function incident(string $name): array
    {
        try {
            $incident = (new CountersFile(
                $this->spool->store()->layout($name),
                $this->spool->clock(),
            ))->read()?->incident;
        } catch (UnableToCount $e) {
            return [new Finding(
                "bucket {$name}",
                "{$e->getMessage()} What the buffer cannot take would not be counted.",
                'Give this user the right to read and write it; if it is damaged, remove it.',
            )];
        }

        return $incident === null || $incident->isOver($this->spool->clock()->micros()) ? [] : [new Finding(
            "bucket {$name}",
            ($incident->failure === AppendFailure::Redis
                ? 'It is cut off from Redis'
                : "It does not take events ({$incident->failure->value})")
                .', since '.gmdate('Y-m-d H:i:s', intdiv($incident->since, 1_000_000))
                ." UTC. Of its events {$incident->sum()}.",
            $incident->failure->fix(),
        )];
    }

    /** @return list<Finding> */
    private function quota(string $name): array
    {
        $quota = $this->spool->config()->maxBytes($name);

        if ($quota === null) {
            return [];
        }

        $used = (new DiskQuota($this->spool->config(), $name))->used();
        $percent = intdiv($used * 100, $quota);

        return $percent < self::NEARLY_USED_PERCENT ? [] : [new Finding(
            "bucket {$name}",
            "{$percent} % of its max_bytes are used: {$used} of {$quota} bytes.",
            AppendFailure::Quota->fix(),
            $percent >= 100,
        )];
    }
}
