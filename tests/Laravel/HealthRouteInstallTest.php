<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Install\HealthRoute;
use Headroom\Spool\FileStore\Layout;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Http;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\InputStream;

/**
 * /up fails while nothing delivers, where spool:install was allowed to say so in config/spool.php.
 */
final class HealthRouteInstallTest extends ApplicationTestCase
{
    private const CONFIG = "['path' => storage_path('app/private/buffer'), 'heartbeats' => false,\n"
        ."    'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]";

    private function isOn(): bool
    {
        /** @var array<string, mixed> $config */
        $config = json_decode($this->app->run([
            PHP_BINARY, '-r', 'function env($k, $d = null) { return $d; } function storage_path($p) { return "/$p"; }'
                .'echo json_encode(require "config/spool.php");',
        ])->out, true, flags: JSON_THROW_ON_ERROR);

        return ($config['health_route'] ?? false) === true;
    }

    #[Test]
    public function the_option_sets_the_line_once_and_without_it_nothing_changes(): void
    {
        $this->app->artisan('spool:install', '--no-interaction');
        self::assertFalse($this->isOn());
        $published = $this->app->read('config/spool.php');

        self::assertSame(0, $this->app->artisan('spool:install', '--health-route', '--no-interaction')->exit);
        self::assertTrue($this->isOn());
        $on = $this->app->read('config/spool.php');
        self::assertSame(str_replace("'health_route' => false", "'health_route' => true", $published), $on);

        $this->app->artisan('spool:install', '--health-route', '--no-interaction');
        $this->app->artisan('spool:install', '--json');
        self::assertSame($on, $this->app->read('config/spool.php'));
    }

    #[Test]
    #[TestWith(["yes\n", true])]
    #[TestWith(["no\n", false])]
    #[TestWith(["\n", false])]
    public function it_asks_and_the_default_answer_is_no(string $answer, bool $isOn): void
    {
        $process = $this->app->process([PHP_BINARY, 'artisan', 'spool:install']);
        $process->setPty(true)->setInput($answer);

        self::assertSame(0, $process->run(), $process->getOutput().$process->getErrorOutput());
        self::assertStringContainsString('Shall the health route /up fail', $process->getOutput());
        self::assertSame($isOn, $this->isOn());
    }

    #[Test]
    public function without_a_terminal_it_neither_waits_nor_reads_the_script_that_runs_it(): void
    {
        $input = new InputStream;
        $waiting = $this->app->process([PHP_BINARY, 'artisan', 'spool:install']);
        $waiting->setInput($input);
        self::assertSame(0, $waiting->run(), $waiting->getOutput().$waiting->getErrorOutput());
        $input->close();

        $script = $this->app->process(['sh']);
        $script->setInput(PHP_BINARY." artisan spool:install\necho the rest of the script\n");
        self::assertSame(0, $script->run(), $script->getErrorOutput());
        self::assertStringEndsWith("the rest of the script\n", $script->getOutput());
        self::assertFalse($this->isOn());
    }

    #[Test]
    public function an_older_configuration_gets_the_line_and_keeps_its_own_text(): void
    {
        $this->app->write('config/spool.php', '<?php return '.self::CONFIG.";\n// \$1 \\0\n");
        $this->app->artisan('spool:install', '--health-route', '--no-interaction');

        self::assertTrue($this->isOn());
        self::assertStringContainsString('// $1 \\0', $this->app->read('config/spool.php'));
    }

    /** @return iterable<string, array{string, string}> */
    public static function forms(): iterable
    {
        yield 'lines of Windows' => [
            "<?php\r\n\r\nreturn [\r\n    'health_route' => false,\r\n    'buckets' => [],\r\n];\r\n",
            "<?php\r\n\r\nreturn [\r\n    'health_route' => true,\r\n    'buckets' => [],\r\n];\r\n",
        ];
        yield 'lines of Windows without the key' => [
            "<?php\r\n\r\nreturn [\r\n    'buckets' => [],\r\n];\r\n",
            "<?php\r\n\r\nreturn [\r\n    'buckets' => [],\r\n    'health_route' => true,\r\n];\r\n",
        ];
        yield 'after the buckets, with a remark' => [
            "<?php\n\nreturn [\n    'buckets' => [],\n    'health_route' => false, // ours\n];\n",
            "<?php\n\nreturn [\n    'buckets' => [],\n    'health_route' => true, // ours\n];\n",
        ];
        yield 'another indentation' => [
            "<?php\n\nreturn [\n\t'health_route' => false,\n\t'buckets' => [],\n];\n",
            "<?php\n\nreturn [\n\t'health_route' => true,\n\t'buckets' => [],\n];\n",
        ];
        yield 'an example in a comment' => [
            "<?php\n\nreturn [\n    /*\n    'buckets' => [],\n    'health_route' => false,\n    */\n"
                ."    'buckets' => [],\n];\n",
            "<?php\n\nreturn [\n    /*\n    'buckets' => [],\n    'health_route' => false,\n    */\n"
                ."    'buckets' => [],\n    'health_route' => true,\n];\n",
        ];
    }

    #[Test]
    #[DataProvider('forms')]
    public function the_setting_is_changed_where_php_reads_it(string $code, string $expected): void
    {
        $path = $this->app->path('config/shared.php');
        $this->app->write('config/shared.php', $code);
        chmod($path, 0640);
        symlink($path, $this->app->path('config/spool.php'));

        self::assertTrue((new HealthRoute($this->app->path('config/spool.php')))->turnOn());
        self::assertSame($expected, file_get_contents($path));
        self::assertTrue($this->isOn());
        clearstatcache();
        self::assertSame([true, 0640], [is_link($this->app->path('config/spool.php')), fileperms($path) & 0777]);
    }

    #[Test]
    #[TestWith(["<?php return array_merge(['buckets' => []], []);"])]
    #[TestWith(["<?php return ['health_route' => env('UP', false), 'buckets' => []];"])]
    public function a_file_of_another_form_is_left_alone_and_the_line_is_printed(string $code): void
    {
        $this->app->write('config/spool.php', $code);
        $installed = $this->app->artisan('spool:install', '--health-route', '--no-interaction');

        self::assertStringContainsString("Add 'health_route' => true to it.", $installed->all());
        self::assertSame($code, $this->app->read('config/spool.php'));
        self::assertFalse((new HealthRoute($this->app->path('nowhere.php')))->turnOn());
    }

    #[Test]
    public function on_a_full_disk_the_old_file_stays(): void
    {
        $code = "<?php\n\nreturn [\n    'buckets' => [],\n];\n";
        $this->app->write('config/spool.php', $code);
        $turnOn = 'require $argv[1]; pcntl_signal(SIGXFSZ, SIG_IGN); var_dump((new '.HealthRoute::class
            .'($argv[2]))->turnOn());';
        $outcome = $this->app->run(['sh', '-c', 'ulimit -f 0; "$@" | cat', 'sh', PHP_BINARY, '-r', $turnOn,
            dirname(__DIR__, 2).'/vendor/autoload.php', $this->app->path('config/spool.php')]);

        self::assertSame("bool(false)\n", $outcome->out, $outcome->all());
        self::assertSame($code, $this->app->read('config/spool.php'));
        self::assertCount(1, (array) glob($this->app->path('config/spool.php*')));
    }

    #[Test, Group('day-1')]
    public function up_fails_while_no_flush_runs_and_not_because_a_sink_is_down(): void
    {
        $this->app->write('config/spool.php', '<?php return '.self::CONFIG.';');
        $this->app->migrate();
        $this->app->artisan('spool:install', '--health-route', '--no-interaction');
        $this->app->write(
            'bootstrap/app.php',
            str_replace("apiPrefix: ''", "apiPrefix: '', health: '/up'", $this->app->read('bootstrap/app.php')),
        );
        $server = $this->app->serve();
        $up = static fn (): int => Http::get("{$server->url()}/up")[0];

        try {
            self::assertSame(200, $up());
            $this->app->artisan('app:buffer', '1');
            self::assertSame(200, $up());
            $this->age();
            // A flush may come within a minute, as after a deploy. It has not come yet when this is found again.
            self::assertSame([200, 200], array_map($up, [1, 2]));
            $late = $this->layout()->lateFile;
            self::assertTrue(touch($late, time() - 91));
            self::assertSame(500, $up());
            self::assertStringContainsString("Nothing has delivered bucket 'api-events' for 6", $this->app->log());

            // A flush runs and its sink is down.
            $this->app->execute('alter table api_events rename to elsewhere');
            self::assertSame(1, $this->app->artisan('spool:flush')->exit);
            self::assertSame(200, $up());
            $this->app->execute('alter table elsewhere rename to api_events');
            self::assertSame(0, $this->app->artisan('spool:flush', '--now')->exit);
            self::assertSame(200, $up());

            // A paused bucket waits on purpose, and without the line nothing is checked.
            $this->app->artisan('app:buffer', '1');
            $this->age();
            $this->app->artisan('spool:pause', 'api-events');
            self::assertSame(200, $up());
            $this->app->artisan('spool:resume', 'api-events');
            self::assertSame(200, $up());
            self::assertTrue(touch($late, time() - 91));
            self::assertSame(500, $up());
            $this->app->write(
                'config/spool.php',
                str_replace("'health_route' => true", "'health_route' => false", $this->app->read('config/spool.php')),
            );
            self::assertSame(200, $up());
        } finally {
            $server->stop();
        }
    }

    private function layout(): Layout
    {
        return new Layout($this->app->path('storage/app/private/buffer'), 'api-events');
    }

    private function age(): void
    {
        $layout = $this->layout();
        touch($layout->flushLock, time() - 370);
        @unlink($layout->lateFile);
        $segment = $layout->files()[0];
        $file = fopen($segment, 'r+');
        self::assertIsResource($file);
        // The time in the header, which no reader depends on.
        fseek($file, 20);
        fwrite($file, pack('J', (time() - 370) * 1_000_000));
        fclose($file);
    }
}
