<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\UnableToCount;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;

/**
 * Buckets that refuse events, or will soon.
 *
 * @internal
 */
final readonly class AppendsAreRefused implements HealthCheck
{
    private const NEARLY_USED_PERCENT = 80;

    /** The disk runs short below this many times min_free_bytes, or a tenth of a small disk. */
    private const SHORT_FACTOR = 10;

    private const SHORT_SHARE = 0.1;

    public function __construct(private SpoolServices $spool) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        if ($this->spool->isUntouched()) {
            return [];
        }

        $problems = $this->minFreeBytes();

        foreach ($this->spool->store()->buckets() as $name) {
            $problems = [...$problems, ...$this->incident($name), ...$this->maxBytes($name)];
        }

        return $problems;
    }

    /** @return list<Finding> */
    public function minFreeBytes(): array
    {
        $config = $this->spool->config();
        $free = (new DiskQuota($config, 'any'))->free();

        return $config->minFreeBytes() === 0 || $free === null || $free >= $config->minFreeBytes() ? [] : [new Finding(
            $config->path,
            "Its disk has {$free} bytes left, less than min_free_bytes ({$config->minFreeBytes()}). The buffer"
                .' creates no new file, so it refuses events.',
            AppendFailure::Reserve->fix(),
        )];
    }

    /**
     * Warns before minFreeBytes() does. It is no health check: a disk may be this full for years.
     *
     * @return list<Finding>
     */
    public function runsShort(): array
    {
        $config = $this->spool->config();
        $least = $config->minFreeBytes();
        $free = (new DiskQuota($config, 'any'))->free();
        $total = PhpRestrictions::call('disk_total_space', $config->path);
        $share = is_float($total) ? (int) ($total * self::SHORT_SHARE) : PHP_INT_MAX;
        $short = max(2 * $least, min(self::SHORT_FACTOR * $least, $share));

        return $free === null || $free < $least || $free >= $short ? [] : [new Finding(
            $config->path,
            "Its disk has {$free} bytes left. Below min_free_bytes ({$least}) the buffer refuses events.",
            AppendFailure::Reserve->fix(),
            false,
        )];
    }

    /** @return list<Finding> */
    public function incident(string $name): array
    {
        try {
            $incident = (new CountersFile(
                $this->spool->store()->layout($name),
                $this->spool->clock(),
            ))->read()?->incident;
        } catch (UnableToCount $e) {
            return [new Finding(
                "bucket {$name}",
                "{$e->getMessage()} Refused events would not be counted.",
                'Let this user read and write the file; if it is damaged, remove it.',
            )];
        }

        return $incident === null || $incident->isOver($this->spool->clock()->micros()) ? [] : [new Finding(
            "bucket {$name}",
            ($incident->failure === AppendFailure::Redis
                ? 'Redis has refused its events, or has not answered,'
                : "It has refused events ({$incident->failure->value})")
                .' since '.gmdate('Y-m-d H:i:s', intdiv($incident->since, 1_000_000))
                ." UTC: {$incident->sum()}.",
            $incident->failure->fix(),
        )];
    }

    /** @return list<Finding> */
    public function maxBytes(string $name): array
    {
        $maxBytes = $this->spool->config()->maxBytes($name);

        if ($maxBytes === null) {
            return [];
        }

        $used = (new DiskQuota($this->spool->config(), $name))->used();
        $percent = intdiv($used * 100, $maxBytes);

        return $percent < self::NEARLY_USED_PERCENT ? [] : [new Finding(
            "bucket {$name}",
            "It uses {$percent} % of its max_bytes: {$used} of {$maxBytes} bytes.",
            AppendFailure::Quota->fix(),
            $percent >= 100,
        )];
    }
}
