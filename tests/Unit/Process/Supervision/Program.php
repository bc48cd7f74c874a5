<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use PHPUnit\Framework\Assert;

/**
 * A PHP program of its own, so that no fork has a copy of PHPUnit.
 */
final readonly class Program
{
    /** @return list<string> lines that the program and its forks printed; returns when all of them have ended */
    public static function printed(string $code): array
    {
        $program = proc_open(
            [PHP_BINARY, '-r', "require \$argv[1]; {$code}", '--', dirname(__DIR__, 4).'/vendor/autoload.php'],
            [1 => ['pipe', 'w']],
            $pipes,
        );
        $output = $pipes[1] ?? null;

        if ($program === false || ! is_resource($output)) {
            Assert::fail('PHP did not start.');
        }

        $printed = explode("\n", rtrim((string) stream_get_contents($output)));
        fclose($output);
        proc_close($program);

        return $printed;
    }
}
