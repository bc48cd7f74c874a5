<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * What a command of this package says in Artisan if the system does not accept its output.
 */
final class LostArtisanOutputTest extends TestCase
{
    /** Of each base class, and with JSON. */
    private const COMMANDS = ['spool:install', 'spool:status', 'spool:status --json', 'headroom:logs:slow slow.log'];

    private ScratchApplication $app;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
        $this->app->write('slow.log', '');
    }

    protected function tearDown(): void
    {
        $this->app->remove();
    }

    #[Test]
    public function a_report_that_a_full_disk_loses_is_never_a_success(): void
    {
        foreach (self::COMMANDS as $command) {
            $printed = $this->artisan($command);
            $lost = $this->artisan("{$command} > /dev/full");

            self::assertNotSame('', $printed->out, $command);
            self::assertSame([max(1, $printed->exit), ''], [$lost->exit, $lost->out], $command);
            self::assertStringEndsWith(
                "The output could not be written: No space left on device.\n",
                $lost->err,
                $command,
            );
            self::assertSame(1, substr_count($lost->err, 'No space left on device'), $command);
        }
    }

    #[Test]
    public function a_reader_that_has_closed_the_pipe_changes_nothing(): void
    {
        foreach (self::COMMANDS as $command) {
            $printed = $this->artisan($command);
            $closed = $this->artisan("{$command}; echo $? > exit; } | true; exit $(cat exit", '{ sleep 0.3; ', ')');

            self::assertSame([$printed->exit, $printed->err], [$closed->exit, $closed->err], $command);
        }
    }

    private function artisan(string $arguments, string $before = '', string $after = ''): Outcome
    {
        $php = escapeshellarg(Programs::php());

        return $this->app->run(['/bin/sh', '-c', "{$before}{$php} artisan --no-ansi {$arguments}{$after}"]);
    }
}
