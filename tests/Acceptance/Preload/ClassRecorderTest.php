<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Preload\Observation\ClassRecorder;
use Headroom\Preload\Observation\UnableToObserve;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A real PHP-FPM runs small applications that behave in ways in which applications do.
 */
final class ClassRecorderTest extends TestCase
{
    private TemporaryDirectory $directory;

    private TemporaryDirectory $seen;

    private ?Master $master = null;

    protected function setUp(): void
    {
        Needs::webStack();
        $account = UnixUser::forWorkers('www-data');
        $this->directory = TemporaryDirectory::create('watch', $account);
        $this->seen = TemporaryDirectory::create('seen', $account);
    }

    protected function tearDown(): void
    {
        $this->master?->stop();
        $this->directory->remove();
        $this->seen->remove();
    }

    /** @return iterable<string, array{string, list<string>}> code, and the classes that it uses */
    public static function applications(): iterable
    {
        yield 'one that ends' => [
            'final class One {} interface Two {} trait Three {} enum Four { case A; } echo "ok";',
            ['Four', 'One', 'Three', 'Two'],
        ];
        yield 'one that calls exit()' => ['class One {} echo "ok"; exit(3);', ['One']];
        yield 'one that throws' => ['class One {} echo "ok"; throw new LogicException("x");', ['One']];
        yield 'one that runs out of memory' => [
            'class One {} echo "ok"; ini_set("memory_limit", "4M"); $a = str_repeat("x", 1 << 30);', ['One'],
        ];
        yield 'one that fills its memory' => [
            'class One {} echo "ok"; ini_set("memory_limit", "4M"); $GLOBALS["a"] = []; while (true) { $GLOBALS["a"][]'
                .' = str_repeat("x", 50); }',
            ['One'],
        ];
        yield 'one that goes elsewhere' => ['class One {} chdir("/"); echo "ok";', ['One']];
        yield 'one that locks itself in' => ['class One {} ini_set("open_basedir", __DIR__); echo "ok";', ['One']];
        yield 'one whose error handler throws' => [
            'class One {} set_error_handler(function () { throw new LogicException("x"); }); echo "ok";', ['One'],
        ];
        yield 'one that works on after the answer' => [
            'class One {} echo "ok"; fastcgi_finish_request(); usleep(200_000); class_alias(One::class, "Other");'
                .' if (true) { class Late {} }',
            ['Late', 'One'],
        ];
        yield 'one that loads at its end' => [
            'class One {} register_shutdown_function(function () { register_shutdown_function(function () { if (true) {'
                .' class Late {} } }); }); echo "ok";',
            ['Late', 'One'],
        ];
        yield 'one that ends its end' => [
            'class One {} register_shutdown_function(function () { exit; }); echo "ok";', ['One'],
        ];
        yield 'one with an autoloader' => [
            'spl_autoload_register(function ($c) { file_put_contents(__DIR__."/asked", $c); });'
                .' class One {} class_exists("Not\There", false); echo "ok";',
            ['One'],
        ];
        yield 'one with code made of text' => [
            'class One {} eval("class Made {}"); $a = new class extends One {}; echo "ok";', ['One'],
        ];
        yield 'one with a name of any bytes' => ["class N\xe9 {} echo \"ok\";", ["N\xe9"]];
        yield 'one without any' => ['echo "ok";', []];
    }

    /** @param list<string> $classes */
    #[Test, Group('day-3')]
    #[DataProvider('applications')]
    public function the_classes_of_a_request_are_seen_and_its_answer_is_the_same(string $code, array $classes): void
    {
        $recorder = ClassRecorder::in($this->seen);
        $this->serve($recorder->ini());
        $plain = $this->ask($code, []);
        self::assertSame([], $this->files());
        $seen = $this->ask($code, $recorder->parameters(7));

        self::assertStringContainsString(str_contains($code, 'memory_limit') ? 'exhausted' : 'ok', $seen->body);
        self::assertSame([$plain->status, $plain->headers, $plain->body], [$seen->status, $seen->headers, $seen->body]);
        self::assertSame($classes, $recorder->classesOf(7));
        self::assertFileDoesNotExist("{$this->directory->work}/asked");
    }

    #[Test]
    public function an_application_sees_no_variable_no_parameter_and_no_error_of_ours(): void
    {
        $recorder = ClassRecorder::in($this->seen);
        $this->serve($recorder->ini());
        $code = 'echo json_encode([array_keys(get_defined_vars()), $_SERVER["HEADROOM_PAGE"] ?? null, error_get_last(),'
            .' get_declared_classes() === array_filter(get_declared_classes(), fn ($c) => (new'
            .' ReflectionClass($c))->isInternal())]); register_shutdown_function(fn () =>'
            .' print(json_encode(error_get_last())));';

        self::assertSame(
            '[["_GET","_POST","_COOKIE","_FILES","_SERVER"],null,null,true]null',
            str_replace(',"argv","argc"', '', $this->ask($code, $recorder->parameters(1))->body),
        );
    }

    #[Test]
    public function a_full_or_lost_directory_is_not_noticed_by_the_application(): void
    {
        $recorder = ClassRecorder::in($this->seen);
        $this->serve($recorder->ini());
        $lost = $this->directory->file('lost');
        rename($this->seen->work, $lost);
        // Root writes there all the same, but no worker of another user does.
        mkdir($this->seen->work, 0o555);
        is_file($recorder->script) || copy("{$lost}/recorder.php", $recorder->script);
        $answer = $this->ask('class One {} echo json_encode(error_get_last());', $recorder->parameters(1));

        self::assertSame('null', $answer->body);
        $this->expectExceptionObject(UnableToObserve::notRecorded(1, $this->seen->work));
        $recorder->classesOf(1);
    }

    #[Test]
    public function a_prepended_file_of_the_application_still_runs(): void
    {
        $own = $this->directory->write('own.php', '<?php $own = "own "; class Prepended {}');
        $recorder = ClassRecorder::in($this->seen, $own);
        $this->serve($recorder->ini());

        self::assertSame('own ok', $this->ask('class One {} echo $own, "ok";', $recorder->parameters(2))->body);
        self::assertSame(['One', 'Prepended'], $recorder->classesOf(2));
    }

    #[Test]
    public function pages_are_told_apart_and_classes_of_any_round_are_used(): void
    {
        $recorder = ClassRecorder::in($this->seen);
        $this->serve($recorder->ini(), 3);

        for ($round = 0; $round < 3; $round++) {
            $this->ask("class Round{$round} {}", $recorder->parameters(1));
        }

        $this->ask('class Other {}', $recorder->parameters(11));
        self::assertSame(['Round0', 'Round1', 'Round2'], $recorder->classesOf(1));
        self::assertSame(['Other'], $recorder->classesOf(11));
    }

    #[Test]
    public function a_worker_that_was_killed_is_told(): void
    {
        $recorder = ClassRecorder::in($this->seen);
        $this->serve($recorder->ini());

        $this->ask(
            'class One {} echo "ok"; fastcgi_finish_request(); posix_kill(getmypid(), 9);',
            $recorder->parameters(3),
        );
        $this->expectExceptionObject(UnableToObserve::cutShort(3));
        $recorder->classesOf(3);
    }

    #[Test]
    public function a_request_that_does_not_end_is_not_waited_for_forever(): void
    {
        $recorder = ClassRecorder::in($this->seen);
        $this->serve($recorder->ini());

        $end = "{$this->directory->work}/end";
        $this->ask(
            'echo "ok"; fastcgi_finish_request(); for ($i = 0; $i < 30_000 && ! is_file('.var_export($end, true)
                .'); $i++) { clearstatcache(); usleep(1_000); }',
            $recorder->parameters(4),
        );
        $this->expectExceptionObject(UnableToObserve::unfinished(4, 0));

        try {
            $recorder->classesOf(4, 0);
        } finally {
            touch($end);
        }
    }

    /** @param array<string, string> $ini */
    private function serve(array $ini, int $workers = 1): void
    {
        // A worker that got its settings changed is not asked again for the same.
        $this->master = Master::start(
            new PoolConfig(max(1, $workers), UnixUser::forWorkers('www-data'), requests: 0),
            $this->directory,
            ini: new IniSettings([
                ...$ini,
                'display_errors' => '1',
                'html_errors' => '0',
                'opcache.enable' => '1',
                'opcache.validate_timestamps' => '1',
                'opcache.revalidate_freq' => '0',
            ]),
        );
    }

    /** @param array<string, string> $parameters */
    private function ask(string $code, array $parameters): FastCgiResponse
    {
        $script = "{$this->directory->work}/application.php";
        file_put_contents($script, "<?php {$code}");

        return (new FastCgiClient(answerMillis: 20_000))->ask(Address::parse((string) $this->master?->socket), [
            'REQUEST_METHOD' => 'GET',
            'SCRIPT_FILENAME' => $script,
            'SCRIPT_NAME' => '/application.php',
            'REQUEST_URI' => '/',
            'QUERY_STRING' => '',
            ...$parameters,
        ]);
    }

    /** @return list<string> that watched requests have left */
    private function files(): array
    {
        $names = scandir($this->seen->work);

        return array_values(array_diff($names === false ? [] : $names, ['.', '..', 'recorder.php']));
    }
}
