<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Core\SystemClock;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Preload\Observation\InvalidSamples;
use Headroom\Preload\Observation\Samples;
use Headroom\Preload\ObservedRequests;
use Workbench\Rig\Rig;

/**
 * The workbench behind nginx and PHP-FPM, with configuration and routes cached, of which each request is sampled.
 */
final class SampledWorkbench
{
    private const PATIENCE_SECONDS = 20;

    private readonly Rig $rig;

    private ?WebStack $stack = null;

    public function __construct(string $sample = '1')
    {
        $this->rig = new Rig(['DB_CONNECTION' => 'sqlite', 'HEADROOM_PRELOAD_SAMPLE' => $sample]);
        $this->rig->prepare();
    }

    /** @param array<string, string> $ini */
    public function serve(int $workers, array $ini = []): WebStack
    {
        $this->stop();

        return $this->stack = WebStack::start(new WebConfig(
            Rig::root().'/public/index.php',
            $workers,
            [
                'WORKBENCH_STORAGE' => $this->rig->storage(),
                'DB_CONNECTION' => 'sqlite',
                'TMPDIR' => $this->rig->storage(),
            ],
            ['opcache.enable' => '1', ...$ini],
            Rig::user(),
            requestTerminateSeconds: 30,
        ));
    }

    public function directory(): string
    {
        return "{$this->rig->storage()}/framework/headroom-preload";
    }

    public function samples(): Samples
    {
        return new Samples($this->directory());
    }

    /**
     * A sample is written down after the answer, and a PHP-FPM that is stopped ends what it is at.
     *
     * @param int $samples that are waited for
     */
    public function observed(int $samples): ObservedRequests
    {
        $clock = new SystemClock;
        $until = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        do {
            try {
                $observed = $this->samples()->merged();
            } catch (InvalidSamples) {
                $observed = new ObservedRequests;
            }

            $clock->sleep(10_000);
        } while (
            $observed->requests + $observed->afterPreload + $observed->discarded + $observed->busy < $samples
            && $clock->monotonicNanos() < $until
        );

        $this->stop();

        return $this->samples()->merged();
    }

    public function storage(): string
    {
        return $this->rig->storage();
    }

    public function stop(): void
    {
        $this->stack?->stop();
        $this->stack = null;
    }

    public function remove(): void
    {
        $this->stop();
        $this->rig->remove();
    }
}
