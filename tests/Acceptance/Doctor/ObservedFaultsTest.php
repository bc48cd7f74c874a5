<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Faults that no configuration shows but what the servers have done: in their logs, in opcache, in memory.
 */
final class ObservedFaultsTest extends TestCase
{
    private const PASS = '            fastcgi_pass php;';

    public const SMALL_BUFFER = ['        listen 127.0.0.1:%PORT%;' => '        listen 127.0.0.1:%PORT% sndbuf=16k;'];

    public const FULL_JIT = ['opcache.jit=1205', 'opcache.jit_buffer_size=256K', 'opcache.file_update_protection=0'];

    public const FILES = [
        self::PASS => self::PASS
            ."\n        }\n        location ~ \\.css\$ {\n            root %DIR%;\n            try_files \$uri =404;",
    ];

    public const DYNAMIC = [
        'pm = static' => "pm = dynamic\npm.start_servers = 1\npm.min_spare_servers = 1\npm.max_spare_servers = 2",
        'pm.max_children = 4' => 'pm.max_children = 12',
    ];

    /** opcache with little memory, so that little waste is much; what is young is taken too. */
    public const SMALL = [
        'opcache.memory_consumption=64', 'opcache.interned_strings_buffer=8', 'opcache.file_update_protection=0',
    ];

    #[Test, Group('day-2')]
    public function answers_that_go_through_files_are_counted_until_the_buffers_take_them(): void
    {
        $stack = new Stack(self::SMALL_BUFFER);
        $clients = self::stalled($stack, 9);
        self::assertSame([], self::found($stack->examined(self::checks())), 'Nine are not many.');

        array_push($clients, ...self::stalled($stack, 1, 10));
        $problem = self::only('N11', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('/\A10 \D+ 20\d\d/', $problem->message);
        self::assertContains('GET /', array_column($problem->evidence, 'what'));
        array_map(fclose(...), $clients);

        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack->examined(self::checks())));
        $clients = self::stalled($stack, 12, 10, 100);
        self::assertSame([], self::found($stack->examined(self::checks())), 'They fit now.');
        self::assertCount(12, $clients);
    }

    #[Test, Group('day-1')]
    public function a_log_that_takes_no_warnings_tells_nothing(): void
    {
        $stack = new Stack(['error_log %DIR%/nginx.log warn;' => 'error_log %DIR%/nginx.log;']);
        $finding = self::of('N11', $stack->examined(self::checks()));

        self::assertSame(Status::Unknown, $finding->status);
        Sentence::assertNames(['error'], $finding->message);
    }

    #[Test, Group('day-1')]
    public function a_log_that_was_replaced_by_a_link_is_not_read(): void
    {
        $stack = new Stack;
        $log = $stack->path('nginx.log');
        rename($log, "{$log}.1");
        symlink("{$log}.1", $log);
        $finding = self::of('N11', $stack->examined(self::checks()));

        self::assertSame(Status::Unknown, $finding->status);
        self::assertStringContainsString($log, $finding->message);
    }

    #[Test]
    #[Group('proof')]
    public function files_that_are_asked_for_by_the_hundred_are_to_be_remembered(): void
    {
        $stack = new Stack(self::FILES);
        self::assertSame('body {}', $stack->get(path: '/asset.css'));
        $stack->logged(1);
        self::assertSame([], self::found($stack->examined(self::checks())));

        $stack->many('/asset.css', 3_000);
        $stack->logged(3_001);
        $problem = self::only('N14', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('/\A\d{3,4} \D/', $problem->message);

        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack->examined(self::checks())));
        self::assertSame('body {}', $stack->get(path: '/asset.css'));
    }

    #[Test, Group('day-3')]
    public function a_page_that_is_made_again_and_again_within_a_second_is_told_of(): void
    {
        $stack = new Stack;
        $stack->many('/page?of=one', 300);
        $stack->logged(300);
        self::assertSame(
            [],
            self::found($stack->examined(self::checks())),
            'What has a query is not the same for two.',
        );

        $stack->many('/page', 300);
        $stack->logged(600);
        $problem = self::only('N19', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('~/page \D*\d+ ~', $problem->message);
        self::assertSame([], $problem->fix?->edits);
    }

    #[Test]
    #[Group('proof')]
    public function a_pool_that_grew_in_a_burst_is_found_until_it_is_reloaded(): void
    {
        $stack = new Stack([], self::DYNAMIC);
        self::assertSame([], self::found($stack->examined(self::checks())));
        $waiting = $stack->slow(8, 6.5);

        foreach ($waiting as $process) {
            $process->wait();
        }

        $problem = self::only('F3', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('/\A\d+ \D/', $problem->message);

        $stack->reload();
        self::assertSame(
            [],
            self::found($stack->examined(self::checks())),
            'What was before the reload was another configuration.',
        );
        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack->examined(self::checks())));
        self::assertSame('served', $stack->get());
    }

    #[Test]
    #[Group('proof')]
    public function pools_that_fit_one_by_one_and_not_together_are_found(): void
    {
        $stack = new Stack([], self::manyPools());
        $problem = self::only('F12', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('/\b\d+/', $problem->message);

        $stack->applyFix($problem->fix ?? self::fail());
        // The largest process of 25 pools counts for all, and one that has just started, or ends beside its successor,
        // is no measure.
        $found = self::found($stack->examined(self::checks()));

        for ($look = 1; $found !== [] && $look < 10; $look++) {
            sleep(1);
            $found = self::found($stack->examined(self::checks()));
        }

        self::assertSame([], $found);
    }

    #[Test, Group('day-1')]
    public function waste_is_found_and_a_reload_takes_it_away(): void
    {
        $stack = new Stack([], [], self::SMALL);
        self::assertSame('served', $stack->get());
        self::assertSame([], self::found($stack->examined(self::checks())));

        for ($i = 0; $i < 4; $i++) {
            self::assertSame('served', $stack->get('waste=1'));
        }

        $problem = self::only('O6', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('/\A[\d.]+ % /', $problem->message);
        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack->examined(self::checks())));
    }

    #[Test]
    #[Group('proof')]
    public function resets_are_counted_until_a_reload(): void
    {
        $stack = new Stack;

        for ($i = 0; $i < 10; $i++) {
            self::assertSame('served', $stack->get('reset=1'));
            self::assertSame('served', $stack->get());
        }

        self::assertSame([], self::found($stack->examined(self::checks())), 'Ten are not many.');
        $stack->get('reset=1');
        $stack->get();
        $problem = self::only('O6', $stack->examined(self::checks()));
        Sentence::assertNames(['11'], $problem->message);
        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack->examined(self::checks())));
    }

    #[Test, Group('day-3')]
    public function a_jit_without_room_is_found_and_one_with_room_is_not(): void
    {
        $small = new Stack([], [], self::FULL_JIT);
        self::assertSame('served', $small->get('jit=1'));
        Sentence::assertNames(['JIT'], self::only('O8', $small->examined(self::checks()))->message);

        $large = new Stack(
            [],
            [],
            ['opcache.jit=1205', 'opcache.jit_buffer_size=64M', 'opcache.file_update_protection=0'],
        );
        self::assertSame('served', $large->get('jit=1'));
        $diagnosis = $large->examined(self::checks());
        self::assertSame([], self::found($diagnosis));
        self::assertSame(Status::Pass, self::of('O8', $diagnosis)->status);
    }

    #[Test]
    #[Group('proof')]
    public function a_preloaded_file_that_has_changed_is_found_until_a_reload(): void
    {
        $stack = new Stack([], [], self::preloaded());
        $diagnosis = $stack->examined(self::checks());
        self::assertSame([], self::found($diagnosis));
        self::assertSame(Status::Pass, self::of('O9', $diagnosis)->status);

        // A file is as young as the second it was written in.
        sleep(2);
        touch($stack->path('preloaded.php'));
        $problem = self::only('O9', $stack->examined(self::checks()));
        self::assertMatchesRegularExpression('/\A1 \D+\d+ \D+\z/', $problem->message);
        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack->examined(self::checks())));

        unlink($stack->path('preloaded.php'));
        self::assertContains(
            '1 ',
            array_map(
                static fn (string $line): string => substr($line, 4, 2),
                self::found($stack->examined(self::checks())),
            ),
        );
    }

    #[Test, Group('day-2')]
    public function each_of_two_nginx_is_examined_and_named(): void
    {
        $well = new Stack;
        $ill = new Stack(['worker_processes auto;' => 'worker_processes 1;']);
        $found = $well->examined(self::checks(), $ill)->problems();

        self::assertSame(
            ["N3 nginx of {$ill->path('nginx.conf')}"],
            array_map(static fn (CheckResult $verdict): string => $verdict->key(), $found),
        );
        $ill->applyFix($found[0]->finding->fix ?? self::fail());
        $diagnosis = $well->examined(self::checks(), $ill);
        self::assertSame([], self::found($diagnosis));
        // In the order of their pids, which wrap around at some time.
        self::assertEqualsCanonicalizing(
            ["nginx of {$well->path('nginx.conf')}", "nginx of {$ill->path('nginx.conf')}"],
            array_map(
                static fn (CheckResult $verdict): string => $verdict->finding->subject,
                array_values(array_filter(
                    $diagnosis->results,
                    static fn (CheckResult $verdict): bool => $verdict->check->id === 'N3',
                )),
            ),
        );
    }

    /** @return array<string, string> lines of PHP-FPM by what they are replaced with */
    public static function manyPools(): array
    {
        // Of 24 pools each fits alone while a process takes less than 9.6 MB, and all together do not from 0.4 MB on.
        $each = max(1, intdiv(MachineMemory::read()->totalBytes, 12 * 1_048_576));
        $dynamic = "pm = dynamic\npm.start_servers = 1\npm.min_spare_servers = 1\npm.max_spare_servers = 1";
        $pools = implode(
            "\n",
            array_map(
                static fn (int $i): string => "[pool{$i}]\nlisten ="
                    ." %DIR%/pool{$i}.sock\n%USER%\n{$dynamic}\npm.max_children = {$each}\npm.status_path ="
                    ." /fpm-status\npm.status_listen = %DIR%/status{$i}.sock\nslowlog ="
                    ." %DIR%/slow.log\nrequest_slowlog_timeout = 2s\nrequest_slowlog_trace_depth ="
                    ." 60\nrequest_terminate_timeout = 55s\nphp_admin_value[opcache.enable] ="
                    ." 1\nphp_admin_value[opcache.validate_timestamps] = 0",
                range(1, 24),
            ),
        );

        return ['[www]' => "{$pools}\n[www]"];
    }

    /** @return list<string> */
    public static function preloaded(string $script = 'preload.php'): array
    {
        return ["opcache.preload=%DIR%/{$script}", ...posix_geteuid() === 0 ? ['opcache.preload_user=www-data'] : []];
    }

    /**
     * @return list<resource> clients that do not read, once nginx has said so often that it wrote an answer to a file,
     *     or has had the time to
     */
    public static function stalled(Stack $stack, int $clients, int $spilled = 9, int $looks = 1_000): array
    {
        $held = [];

        for ($i = 0; $i < $clients; $i++) {
            $held[] = $stack->stalled('kb=900');
        }

        for ($look = 0; $look < $looks
            && substr_count((string) file_get_contents($stack->path('nginx.log')), 'temporary file')
                < $spilled; $look++) {
            usleep(20_000);
        }

        return $held;
    }

    private static function checks(): CheckList
    {
        return Checks::ofLayers('NFOS');
    }

    /** @return list<string> */
    private static function found(Report $diagnosis): array
    {
        return array_map(
            static fn (CheckResult $verdict): string => "{$verdict->check->id}: {$verdict->finding->message}",
            $diagnosis->problems(),
        );
    }

    private static function only(string $id, Report $diagnosis): Finding
    {
        $problems = $diagnosis->problems();
        self::assertSame(
            [$id],
            array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $problems),
            implode("\n", self::found($diagnosis)),
        );

        return $problems[0]->finding;
    }

    private static function of(string $id, Report $diagnosis): Finding
    {
        foreach ($diagnosis->results as $verdict) {
            if ($verdict->check->id === $id) {
                return $verdict->finding;
            }
        }

        self::fail("Nothing is said of {$id}.");
    }
}
