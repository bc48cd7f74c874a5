<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * Prometheus' own tool, which judges a text of metrics and files of rules.
 */
final readonly class Promtool
{
    /** @return array{int, string} exit code and output of `promtool check metrics` */
    public static function checkMetrics(string $text): array
    {
        return self::ran(['check', 'metrics'], $text);
    }

    /** @return array{int, string} exit code and output of `promtool check rules` */
    public static function checkRules(string $file): array
    {
        return self::ran(['check', 'rules', $file]);
    }

    /** @return array{int, string} exit code and output of `promtool test rules` */
    public static function testRules(string $file): array
    {
        return self::ran(['test', 'rules', $file]);
    }

    /**
     * @param list<string> $arguments
     * @return array{int, string}
     */
    private static function ran(array $arguments, string $input = ''): array
    {
        $process = new Process([self::program('promtool'), ...$arguments]);
        $process->setInput($input);
        $exit = $process->run();

        return [$exit, $process->getOutput().$process->getErrorOutput()];
    }

    /** Debian has the server and its tool in one package. */
    public static function program(string $name): string
    {
        return (new ExecutableFinder)->find($name)
            ?? MissingServer::named('promtool', "{$name} is not installed. Run: bin/services install promtool");
    }
}
