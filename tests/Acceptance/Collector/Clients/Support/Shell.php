<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients\Support;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * Clients that are programs of their own.
 */
final readonly class Shell
{
    private const ROOT = __DIR__.'/../../../../..';

    private const PATIENCE_SECONDS = 90;

    /**
     * @param list<string> $command
     * @param array<string, string> $env
     */
    public static function run(array $command, array $env): string
    {
        $process = new Process($command, self::ROOT, $env, timeout: self::PATIENCE_SECONDS);
        $process->run();
        Assert::assertSame(0, $process->getExitCode(), $process->getOutput().$process->getErrorOutput());

        return $process->getOutput();
    }

    /** @param array<string, string> $env */
    public static function bash(string $script, array $env): string
    {
        self::needs('clients', 'curl', Programs::optional('curl') !== null);

        return self::run(['bash', '-euo', 'pipefail', '-c', $script], $env);
    }

    /** @param array<string, string> $env */
    public static function php(string $script, array $env): string
    {
        $directory = TemporaryDirectory::create('client');

        try {
            // The page is for applications, whose vendor directory is where they are started.
            file_put_contents($directory->file('client.php'), $script);

            return self::run([PHP_BINARY, $directory->file('client.php')], $env);
        } finally {
            $directory->remove();
        }
    }

    /** @param array<string, string> $env */
    public static function node(string $script, array $env): string
    {
        $directory = self::module($script);

        try {
            return self::run(['node', $directory->file('client.mjs')], $env);
        } finally {
            self::clear($directory);
        }
    }

    /** @return TemporaryDirectory with the script as client.mjs, where it finds its packages */
    public static function module(string $script): TemporaryDirectory
    {
        self::needs(
            'clients',
            'the clients of the collector',
            Programs::optional('node') !== null && is_dir(self::ROOT.'/build/clients/node_modules/cloudevents'),
        );
        $directory = TemporaryDirectory::create('client');
        symlink((string) realpath(self::ROOT.'/build/clients/node_modules'), $directory->file('node_modules'));
        file_put_contents($directory->file('client.mjs'), $script);

        return $directory;
    }

    public static function clear(TemporaryDirectory $directory): void
    {
        unlink($directory->file('node_modules'));
        $directory->remove();
    }

    /** @param array<string, string> $env */
    public static function browser(array $env): string
    {
        self::needs(
            'chromium',
            'a browser for tests',
            Programs::optional('chromium') !== null
                && Programs::optional('node') !== null
                && is_dir(self::ROOT.'/build/browser/node_modules/playwright-core'),
        );
        $profile = TemporaryDirectory::create('browser');

        try {
            return self::run(['node', self::ROOT.'/tests/Clients/browser.mjs'], $env + [
                'HEADROOM_BROWSER' => (string) realpath(self::ROOT.'/build/browser'),
                'HEADROOM_CHROMIUM' => (string) Programs::optional('chromium'),
                'HEADROOM_PROFILE' => $profile->path,
            ]);
        } finally {
            $profile->remove();
        }
    }

    /** @return string the path of a file of one of the clients */
    public static function client(string $file): string
    {
        $path = realpath(self::ROOT."/build/clients/node_modules/{$file}");
        self::needs('clients', 'the clients of the collector', $path !== false);

        return (string) $path;
    }

    public static function script(string $name): string
    {
        return (string) file_get_contents(self::ROOT."/tests/Clients/{$name}");
    }

    private static function needs(string $name, string $what, bool $isThere): void
    {
        $isThere || MissingServer::named($name, "Not installed: {$what}. Run: bin/services install {$name}");
    }
}
