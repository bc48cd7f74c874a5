<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Preload\Observation\Observed;
use Headroom\Preload\Observation\Samples;
use Workbench\Rig\Rig;

/**
 * The workbench behind nginx and PHP-FPM, with configuration and routes cached, of which each request is sampled.
 */
final class SampledWorkbench
{
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
            ['WORKBENCH_STORAGE' => $this->rig->storage(), 'DB_CONNECTION' => 'sqlite'],
            ['opcache.enable' => '1', ...$ini],
            Rig::user(),
            requestTerminateSeconds: 30,
        ));
    }

    public function directory(): string
    {
        return "{$this->rig->storage()}/framework/headroom-preload";
    }

    /** Of which requests that are answered need not be a part yet: they are written down afterwards. */
    public function samples(): Samples
    {
        return new Samples($this->directory());
    }

    /** Once FPM has finished all requests. */
    public function observed(): Observed
    {
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
