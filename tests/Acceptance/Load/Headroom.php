<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\Programs;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * `bin/headroom load` in a process of its own.
 */
final readonly class Headroom
{
    public static function load(string ...$arguments): Process
    {
        $process = self::process(...array_values($arguments));
        $process->run();

        return $process;
    }

    public static function process(string ...$arguments): Process
    {
        return new Process(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', 'load', ...array_values($arguments)],
            timeout: 60,
        );
    }

    /** Returns its output without the last line, which shows how busy a core was. */
    public static function withoutCpu(Process $process): string
    {
        return (string) preg_replace('/\n[^\n]+\n*$/', '', $process->getOutput());
    }

    /** Returns the document that it printed with --json. */
    public static function result(Process $process): LoadJson
    {
        $json = json_decode($process->getOutput(), true);
        Assert::assertIsArray($json, $process->getOutput().$process->getErrorOutput());

        return new LoadJson($json);
    }
}
