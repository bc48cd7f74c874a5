<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Application\ComposerPackages;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoot;
use Headroom\Doctor\Fpm\Runtime\RuntimeProbe;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Doctor\Report;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * opcache.preload in a real PHP-FPM: found alone, and fixed by the fix.
 */
final class PreloadFaultsTest extends TestCase
{
    private const ENABLE = 'php_admin_value[opcache.enable] = 1';

    #[Test, Group('day-3')]
    public function a_deploy_that_turns_a_link_leaves_the_old_classes_until_a_reload(): void
    {
        $stack = new Stack([], [], ObservedFaultsTest::preloaded('current/preload.php'));
        self::assertSame([], self::found($stack));
        $stack->release('1');
        $problem = self::only('O9', $stack);
        Sentence::assertNames(
            [$stack->path('releases/2/preload.php'), $stack->path('releases/1/preload.php')],
            $problem->message,
        );

        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack));
    }

    #[Test]
    public function a_script_that_stays_and_requires_that_of_a_release_hides_no_turned_link(): void
    {
        $account = UnixUser::forWorkers('www-data');
        $directory = TemporaryDirectory::create('turned', $account);

        foreach (['1', '2'] as $release) {
            mkdir($directory->file("releases/{$release}"), 0o755, true);
            $directory->write("releases/{$release}/preload.php", '<?php opcache_compile_file(__DIR__."/Release.php");');
            $directory->write("releases/{$release}/Release.php", '<?php final class Release {}');
        }

        $directory->write('stays.php', "<?php require '{$directory->file('current/preload.php')}';");
        symlink($directory->file('releases/1'), $directory->file('current'));
        $fpm = Master::start(
            new PoolConfig(1, $account),
            $directory,
            ini: new IniSettings([
                'opcache.preload' => $directory->file('stays.php'),
                'opcache.preload_user' => $account->user ?? '',
            ]),
        );

        try {
            $seen = [];
            $seen[] = (new RuntimeProbe)->ask(Address::parse($fpm->socket))->preloaded?->switched();
            unlink($directory->file('current'));
            symlink($directory->file('releases/2'), $directory->file('current'));
            $seen[] = (new RuntimeProbe)->ask(Address::parse($fpm->socket))->preloaded?->switched();
        } finally {
            $fpm->stop();
            $directory->remove();
        }

        [$first, $then] = $seen;
        self::assertNull($first);
        [$before, $now] = $then ?? self::fail('It is not seen.');
        self::assertStringContainsString('/releases/1/', $before);
        self::assertSame(str_replace('releases/1', 'releases/2', $before), $now);
    }

    #[Test, Group('day-3')]
    public function where_the_script_is_gone_no_reload_is_advised(): void
    {
        $stack = new Stack([], [], ObservedFaultsTest::preloaded());
        unlink($stack->path('preload.php'));
        $problem = self::only('O9', $stack);
        Sentence::assertNames([$stack->path('preload.php')], $problem->message);
        self::assertSame([], $problem->fix?->commands);
    }

    #[Test]
    #[Group('proof')]
    public function a_process_that_remembers_the_old_link_looks_again(): void
    {
        $stack = new Stack(
            [],
            ['pm.max_children = 4' => 'pm.max_children = 1'],
            ObservedFaultsTest::preloaded('current/preload.php'),
        );
        self::assertNull($stack->pools()->pools[0]->runtime()->preloaded?->switched());
        $stack->release('1');
        self::assertSame(
            [$stack->path('releases/2/preload.php'), $stack->path('releases/1/preload.php')],
            $stack->pools()->pools[0]->runtime()->preloaded?->switched(),
        );
    }

    #[Test, Group('day-2')]
    public function a_script_that_keeps_away_is_found_with_its_reason(): void
    {
        $log = (string) tempnam(sys_get_temp_dir(), 'log');
        // The process that preloads writes it.
        chmod($log, 0o666);
        $stack = new Stack([], [], [...ObservedFaultsTest::preloaded('nothing.php'), "error_log={$log}"]);
        $problem = self::only('O9', $stack);
        Sentence::assertNames([$stack->path('nothing.php')], $problem->message);
        self::assertStringContainsString(
            'headroom preload: the packages are others: nothing is preloaded',
            implode("\n", array_column($problem->evidence, 'value')),
        );
        unlink($log);
    }

    #[Test, Group('day-2')]
    public function opcache_preload_of_a_pool_has_no_effect(): void
    {
        $stack = new Stack([], [self::ENABLE => self::ENABLE."\nphp_admin_value[opcache.preload] = %DIR%/preload.php"]);
        $problem = self::only('O13', $stack);
        self::assertStringContainsString(
            'opcache.preload',
            (string) json_encode($problem->evidence, JSON_UNESCAPED_SLASHES),
        );

        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack));
    }

    #[Test]
    #[Group('proof')]
    public function two_applications_of_one_php_fpm_that_preloads_are_found(): void
    {
        $stack = new Stack([], [], ObservedFaultsTest::preloaded());
        self::assertSame([[], []], [self::found($stack), self::applications($stack)]);
        self::visit($stack, 'one');
        self::assertSame([[], ['one']], [self::found($stack), self::applications($stack)]);
        self::visit($stack, 'two');
        Sentence::assertNames(['2'], self::only('O14', $stack)->message);
        self::assertEqualsCanonicalizing(['one', 'two'], self::applications($stack));
        self::assertSame(['two'], self::besides($stack, 'one'));
    }

    #[Test]
    #[Group('proof')]
    public function releases_of_one_application_are_one(): void
    {
        $stack = new Stack([], [], ObservedFaultsTest::preloaded());

        foreach (['releases/1', 'releases/2', 'current'] as $release) {
            self::visit($stack, $release);
        }

        self::assertSame([], self::found($stack));
        self::assertCount(1, self::applications($stack));
        self::assertSame([], self::besides($stack, 'current'));
        self::assertSame([], self::besides($stack, 'releases/1'));
        self::assertCount(1, self::besides($stack, 'two'));
    }

    #[Test, Group('day-1')]
    public function settings_of_php_ini_are_examined_before_the_next_start(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root needs a user to preload.');
        }

        $stack = new Stack;
        file_put_contents($stack->path('conf.d/stack.ini'), "opcache.preload={$stack->path('preload.php')}\n");
        $problem = self::only('O15', $stack);
        Sentence::assertNames(['opcache.preload', 'PHP-FPM', 'opcache.preload_user'], $problem->message);

        $stack->applyFix($problem->fix ?? self::fail());
        self::assertSame([], self::found($stack));
        $stack->reload();
        self::assertSame('served', $stack->get(), 'It has started with what the fix has written.');
        self::assertSame(1, $stack->pools()->pools[0]->runtime()->preloaded?->symbols);
    }

    #[Test, Group('day-1')]
    public function the_doctor_runs_no_preload_script_itself(): void
    {
        $stack = new Stack;
        file_put_contents($stack->path('ran.php'), '<?php touch(__DIR__."/ran");');
        file_put_contents(
            $stack->path('conf.d/stack.ini'),
            "opcache.preload={$stack->path('ran.php')}\nopcache.preload_user=root\n",
        );
        // Both are what a process gets.
        $_SERVER['PHP_INI_SCAN_DIR'] = ":{$stack->path('conf.d')}";
        putenv("PHP_INI_SCAN_DIR=:{$stack->path('conf.d')}");

        try {
            self::assertNull($stack->pools()->pools[0]->whyNotEffective);
        } finally {
            putenv('PHP_INI_SCAN_DIR');
            unset($_SERVER['PHP_INI_SCAN_DIR']);
        }

        self::assertFileDoesNotExist($stack->path('ran'));
    }

    #[Test]
    public function packages_for_development_are_those_that_composer_names(): void
    {
        self::assertContains('phpunit/phpunit', ComposerPackages::forDevelopment(__DIR__.'/../../../vendor'));
        self::assertNotContains('symfony/process', ComposerPackages::forDevelopment(__DIR__.'/../../../vendor'));
        self::assertSame([], ComposerPackages::forDevelopment('/not/there'));
    }

    private static function visit(Stack $stack, string $application): void
    {
        self::assertSame('served', $stack->get("other={$application}"));
    }

    /** @return list<string> */
    private static function applications(Stack $stack): array
    {
        return self::names($stack, $stack->facts()->get(ServedApplications::class)->of($stack->pools()->pools[0]));
    }

    /** @return list<string> */
    private static function besides(Stack $stack, string $root): array
    {
        return self::names(
            $stack,
            $stack->facts()->get(ServedApplications::class)->besides($stack->pools()->pools[0], $stack->path($root)),
        );
    }

    /**
     * @param list<ApplicationRoot> $roots
     * @return list<string>
     */
    private static function names(Stack $stack, array $roots): array
    {
        return array_map(
            static fn (ApplicationRoot $root): string => substr($root->path, strlen($stack->path(''))),
            $roots,
        );
    }

    /** @return list<string> */
    private static function found(Stack $stack): array
    {
        return self::lines(self::examined($stack));
    }

    private static function only(string $id, Stack $stack): Finding
    {
        $diagnosis = self::examined($stack);
        self::assertSame(
            [$id],
            array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $diagnosis->problems()),
            implode("\n", self::lines($diagnosis)),
        );

        return $diagnosis->problems()[0]->finding;
    }

    private static function examined(Stack $stack): Report
    {
        return $stack->examined(Checks::ofLayers('NFOS'));
    }

    /** @return list<string> */
    private static function lines(Report $diagnosis): array
    {
        return array_map(
            static fn (CheckResult $verdict): string => "{$verdict->check->id}: {$verdict->finding->message}",
            $diagnosis->problems(),
        );
    }
}
