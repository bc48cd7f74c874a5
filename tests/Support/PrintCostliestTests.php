<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Event\Test\Finished;
use PHPUnit\Event\Test\FinishedSubscriber;
use PHPUnit\Event\Test\PreparationStarted;
use PHPUnit\Event\Test\PreparationStartedSubscriber;
use PHPUnit\Event\TestRunner\ExecutionFinished;
use PHPUnit\Event\TestRunner\ExecutionFinishedSubscriber;
use PHPUnit\Runner\Extension\Extension;
use PHPUnit\Runner\Extension\Facade;
use PHPUnit\Runner\Extension\ParameterCollection;
use PHPUnit\TextUI\Configuration\Configuration;

/**
 * PHPUnit extension: prints the tests that cost the most before the summary, so that PHPUnit's own
 * line stays the last one.
 */
final class PrintCostliestTests implements Extension
{
    public function bootstrap(Configuration $configuration, Facade $facade, ParameterCollection $parameters): void
    {
        if ($configuration->noOutput() || $configuration->outputIsTeamCity()) {
            return;
        }

        $costliest = new CostliestTests;

        $facade->registerSubscribers(
            new class($costliest) implements PreparationStartedSubscriber
            {
                public function __construct(private readonly CostliestTests $costliest) {}

                public function notify(PreparationStarted $event): void
                {
                    $this->costliest->started($event->test());
                }
            },
            new class($costliest) implements FinishedSubscriber
            {
                public function __construct(private readonly CostliestTests $costliest) {}

                public function notify(Finished $event): void
                {
                    $this->costliest->finished($event->test());
                }
            },
            new class($costliest) implements ExecutionFinishedSubscriber
            {
                public function __construct(private readonly CostliestTests $costliest) {}

                public function notify(ExecutionFinished $event): void
                {
                    echo $this->costliest->table();
                    echo Sample::isWhole() ? '' : sprintf("\nSampled with HEADROOM_SEED=%d.\n", Sample::seed());
                }
            },
        );
    }
}
