<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console;

use Headroom\Process\Programs;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * On the PHP and Symfony that run this: an incompatible signature or a deprecation of either shows here.
 */
#[Group('smoke')]
final class EveryCommandTest extends DirectoryTestCase
{
    #[Test]
    public function it_prints_its_help_where_nothing_is_configured_and_complains_of_nothing(): void
    {
        $list = json_decode($this->headroom('list', '--format=json')->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($list);
        self::assertIsArray($list['commands']);
        $commands = array_column($list['commands'], 'name');
        self::assertGreaterThan(25, count($commands));

        foreach (Sample::of($commands, 5) as $command) {
            self::assertIsString($command);
            $process = $this->headroom($command, '--help');

            self::assertSame(
                [0, ''],
                [$process->getExitCode(), $process->getErrorOutput()],
                "headroom {$command} --help: {$process->getOutput()}",
            );
            self::assertDoesNotMatchRegularExpression(
                '/\b(Deprecated|Warning|Notice): /',
                $process->getOutput(),
                "headroom {$command} --help",
            );
        }
    }

    private function headroom(string ...$arguments): Process
    {
        $own = [
            Programs::php(), '-d', 'display_errors=1', '-d', 'error_reporting=-1', dirname(__DIR__, 3).'/bin/headroom',
        ];
        $process = new Process([...$own, ...array_values($arguments)], $this->directory->path, timeout: 60);
        $process->run();

        return $process;
    }
}
