<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Console\Collector\CollectInstallCommand;
use Headroom\Tests\Support\Dug;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * collect:install of one bucket, in a buffer of its own.
 */
trait InstallsSinks
{
    private Spool $spool;

    private string $name;

    protected function setUp(): void
    {
        $this->spool = new Spool([]);
        $this->name = 'install-'.bin2hex(random_bytes(6));
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, list<string>} the exit code, and of each step its state and the name of what it makes
     */
    private function steps(array $input = []): array
    {
        [$exit, $out] = $this->install([...$input, '--json' => true]);
        $steps = Dug::out(json_decode($out, true, flags: JSON_THROW_ON_ERROR), 'buckets', 0, 'steps');
        self::assertIsArray($steps);
        $seen = [];

        foreach ($steps as $step) {
            self::assertIsArray($step);
            self::assertIsString($step['state']);
            self::assertIsString($step['what']);
            $seen[] = "{$step['state']} ".substr((string) strrchr($step['what'], ' '), 1);
        }

        return [$exit, $seen];
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, string}
     */
    private function install(array $input = []): array
    {
        $tester = new CommandTester(new CollectInstallCommand($this->spool->runtime()));

        return [$tester->execute($input), $tester->getDisplay()];
    }
}
