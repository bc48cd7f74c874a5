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
 * PHPUnit extension: prints the slowest tests before the summary, so that PHPUnit's own line stays the last one.
 */
final class PrintSlowestTests implements Extension
{
    public function bootstrap(Configuration $configuration, Facade $facade, ParameterCollection $parameters): void
    {
        if ($configuration->noOutput() || $configuration->outputIsTeamCity()) {
            return;
        }

        $slowest = new SlowestTests;

        $facade->registerSubscribers(
            new class($slowest) implements PreparationStartedSubscriber
            {
                public function __construct(private readonly SlowestTests $slowest) {}

                public function notify(PreparationStarted $event): void
                {
                    $this->slowest->started($event->test(), $event->telemetryInfo()->time());
                }
            },
            new class($slowest) implements FinishedSubscriber
            {
                public function __construct(private readonly SlowestTests $slowest) {}

                public function notify(Finished $event): void
                {
                    $this->slowest->finished($event->test(), $event->telemetryInfo()->time());
                }
            },
            new class($slowest) implements ExecutionFinishedSubscriber
            {
                public function __construct(private readonly SlowestTests $slowest) {}

                public function notify(ExecutionFinished $event): void
                {
                    echo $this->slowest->table();
                }
            },
        );
    }
}
