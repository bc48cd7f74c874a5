<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Json;

use Headroom\Console\Collector\CollectInstallCommand;
use Headroom\Console\Logs\LogsErrorCommand;
use Headroom\Console\Logs\LogsSlowCommand;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Load\HttpServer;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\SetUpSink;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Unit\Doctor\Logs\Traces;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * The --json output of each command that is not one of the spool, in a state that fills its lists as the example of
 * the guide does.
 */
final readonly class HeadroomJson
{
    public function of(string $command): string
    {
        return match ($command) {
            'headroom:collect:key' => $this->application('headroom:collect:key', 'create', 'shop'),
            'headroom:link' => $this->application('headroom:link'),
            'headroom:doctor' => $this->application('headroom:doctor', '--only=L13', '--env=production'),
            'headroom:collect:status' => $this->statusOfARunningCollector(),
            'headroom:collect:install' => (new Spool(['events' => ['sink' => SetUpSink::class]]))->run(
                CollectInstallCommand::class,
                ['--json' => true],
            )->out,
            'headroom:logs:slow' => $this->logs(
                LogsSlowCommand::class,
                str_replace('hasMacro', 'connect', Traces::session()),
            ),
            'headroom:logs:error' => $this->logs(
                LogsErrorCommand::class,
                '2026/03/14 09:41:57 [error] 1#1: *1 upstream timed out (110: Connection timed out) while reading'
                    .' response header from upstream, client: 203.0.113.9, server: shop.example, request:'
                    ." \"GET / HTTP/1.1\", upstream: \"fastcgi://unix:/run/fpm.sock:\"\n",
            ),
            'headroom:load' => $this->load(static fn (
                callable $artisan,
                string $url,
            ): string => $artisan('headroom:load', $url, '--requests=20', '--threshold=error_rate<1%')),
            'headroom:load:compare' => $this->load(self::compared(...)),
            default => (new ReportJson)->of($command),
        };
    }

    public function application(string ...$command): string
    {
        $app = ScratchApplication::onThisCheckout();

        try {
            return $app->artisan(...array_values($command), ...['--json'])->out;
        } finally {
            $app->remove();
        }
    }

    /** @param callable(string ...): string $artisan */
    private static function compared(callable $artisan, string $url): string
    {
        foreach (['a.json', 'b.json'] as $file) {
            $artisan('headroom:load', $url, '--requests=20', "--output={$file}");
        }

        return $artisan('headroom:load:compare', 'a.json', 'b.json');
    }

    /** @param class-string<LogsSlowCommand|LogsErrorCommand> $command */
    private function logs(string $command, string $log): string
    {
        $directory = TemporaryDirectory::create('logs');

        try {
            $tester = new CommandTester(new $command);
            $files = [
                $directory->write('a.log', "rubbish\n{$log}"),
                $directory->write('b.log', "lines\nof another\nprogram\n"),
                $directory->file('gone'),
            ];
            $tester->execute(['file' => $files, '--json' => true], ['capture_stderr_separately' => true]);

            return $tester->getDisplay();
        } finally {
            $directory->remove();
        }
    }

    /** @param callable(callable(string ...): string, string): string $run */
    private function load(callable $run): string
    {
        $server = HttpServer::start();
        $app = ScratchApplication::onThisCheckout();

        try {
            return $run(
                static fn (string ...$command): string => $app->artisan(...array_values($command), ...['--json'])->out,
                $server->url('/ok'),
            );
        } finally {
            $app->remove();
            $server->stop();
        }
    }

    private function statusOfARunningCollector(): string
    {
        $collector = Running::start(['workers' => 1]);

        return $collector->command('collect:status', '--json')[1];
    }
}
