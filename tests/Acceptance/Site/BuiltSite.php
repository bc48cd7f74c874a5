<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Site;

use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Process\Programs;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * The documentation's site, built once in a process by `make docs`.
 */
final class BuiltSite
{
    private const ROOT = __DIR__.'/../../..';

    private static ?string $output = null;

    /** @return string what the build printed */
    public static function build(): string
    {
        if (Programs::optional('npm') === null) {
            MissingServer::named('chromium', 'npm is not installed: bin/services install chromium');
        }

        if (self::$output === null) {
            $process = new Process(['make', 'docs'], self::ROOT, timeout: 300);
            $process->run();
            self::$output = $process->getOutput();
            Assert::assertSame(0, $process->getExitCode(), $process->getErrorOutput().self::$output);
        }

        return self::$output;
    }

    public static function directory(): string
    {
        return (string) realpath(self::ROOT.'/build/site');
    }

    /** The site as it was built last. */
    public static function serve(): BuiltInServer
    {
        return BuiltInServer::start(new WebConfig(
            __DIR__.'/fixtures/router.php',
            workers: 4,
            user: 'root',
            env: ['HEADROOM_SITE' => self::directory()],
        ));
    }
}
