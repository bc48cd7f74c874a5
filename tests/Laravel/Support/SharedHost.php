<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Composer\Autoload\ClassLoader;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\CompiledOnce;
use Symfony\Component\Process\Process;

/**
 * The article's application where a host has switched functions off or shut PHP into the site's folder. The settings
 * lie in an ini file, so that each process has them that another one starts, as with the php.ini of a host.
 */
final readonly class SharedHost
{
    private const ROUTE = <<<'PHP'
        <?php

        use Headroom\Laravel\Facades\Buffer;
        use Illuminate\Support\Facades\Route;

        Route::post('add', function (): array {
            try {
                Buffer::bucket('api-events')->add(['event' => 'one']);
                Buffer::bucket('api-events')->addMany([['event' => 'two'], ['event' => 'three']]);

                return ['accepted' => 3];
            } catch (Throwable $e) {
                return ['accepted' => 0, 'class' => $e::class, 'message' => "{$e->getMessage()} {$e->getFile()}:{$e->getLine()}"];
            }
        });
        PHP;

    private const COMMAND = <<<'PHP'
        <?php

        use Headroom\Laravel\Facades\Buffer;
        use Headroom\Laravel\Facades\FileSystemBuffer;
        use Illuminate\Support\Facades\Artisan;
        use Illuminate\Support\Facades\DB;

        // As the article flushes.
        Artisan::command('app:flush', function (): void {
            FileSystemBuffer::bucket('own')->add(['event' => 'one']);
            FileSystemBuffer::flush(fn (string $file): bool => DB::table('api_events')->insert(array_map(fn (string $line): array => unserialize($line)['payload'], file($file, FILE_IGNORE_NEW_LINES))), 'own');
        });
        PHP;

    private const FRONT = <<<'PHP'
        <?php

        require __DIR__.'/../bootstrap/autoload.php';

        (require __DIR__.'/../bootstrap/app.php')->handleRequest(Illuminate\Http\Request::capture());
        PHP;

    /** The front controller on the command line, where a web server's variables are not. */
    private const REQUEST = <<<'PHP'
        <?php

        $_SERVER = ['REQUEST_METHOD' => 'POST', 'REQUEST_URI' => '/add', 'SERVER_NAME' => 'localhost', 'HTTP_ACCEPT' => 'application/json'] + $_SERVER;
        require __DIR__.'/public/index.php';
        PHP;

    private function __construct(private ScratchApplication $app, private TemporaryDirectory $ini) {}

    /** @param array<string, string> $settings of php.ini */
    public static function with(array $settings, string $config = '', string $durability = 'process'): self
    {
        $app = ScratchApplication::onThisCheckout();
        $host = new self($app, TemporaryDirectory::create('ini'));
        $vendor = array_key_first(ClassLoader::getRegisteredLoaders());
        $app->write(
            'bootstrap/autoload.php',
            "<?php (require '{$vendor}/autoload.php')->addPsr4('App\\\\', __DIR__.'/../app');\n",
        );
        $app->write(
            'bootstrap/providers.php',
            "<?php return is_file(__DIR__.'/without') ? [] : [Headroom\\Laravel\\HeadroomServiceProvider::class];\n",
        );
        $app->write('routes/api.php', self::ROUTE);
        $app->write('routes/console.php', self::COMMAND);
        $app->write('public/index.php', self::FRONT);
        $app->write('request.php', self::REQUEST);
        $app->config(
            'spool',
            "[{$config} 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events', 'durability' =>"
                ." '{$durability}']]]",
        );
        $app->migrate();
        $host->settle([]);
        // Laravel writes a list of the providers down, which a host that lets it rename nothing
        // has from an earlier day.
        $host->artisanWithoutThisPackage('list');
        $host->artisan('list');
        $host->settle(array_map(
            static fn (string $value): string
                => strtr($value, ['{site}' => $app->path(), '{vendor}' => dirname((string) $vendor)]),
            $settings,
        ));

        return $host;
    }

    public function remove(): void
    {
        $this->app->remove();
        $this->ini->remove();
    }

    /** As in the site's folder, or as cron begins: in another one, which the shell names in PWD. */
    public function artisan(string $command, string $from = ''): Outcome
    {
        return $this->run(
            $this->app->path('artisan'),
            explode(' ', $command),
            $from === '' ? $this->app->path() : $from,
        );
    }

    /** The same application without this package. */
    public function artisanWithoutThisPackage(string $command, string $from = ''): Outcome
    {
        $this->app->write('bootstrap/without', ' ');
        $outcome = $this->run(
            $this->app->path('artisan'),
            explode(' ', $command),
            $from === '' ? $this->app->path() : $from,
            ['APP_SERVICES_CACHE' => 'bootstrap/cache/without.php'],
        );
        unlink($this->app->path('bootstrap/without'));

        return $outcome;
    }

    /**
     * @return array{int, string} how many events of three the request's caller was told to be accepted;
     *     what it got instead
     */
    public function request(): array
    {
        $outcome = $this->run($this->app->path('request.php'), [], $this->app->path());
        $answer = json_decode($outcome->out, true);

        return is_array($answer) && is_int($answer['accepted'] ?? null)
            ? [$answer['accepted'], implode(' ', array_filter($answer, is_string(...)))]
            : [0, $outcome->all()];
    }

    public function rows(): int
    {
        return count($this->app->rows('select * from api_events'));
    }

    public function app(): ScratchApplication
    {
        return $this->app;
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string> $environment
     */
    private function run(string $script, array $arguments, string $from, array $environment = []): Outcome
    {
        $nothingElse = array_fill_keys(array_map(strval(...), array_keys(getenv() + $_ENV)), false);
        $own = [
            'PATH' => (string) getenv('PATH'),
            'HOME' => '/',
            'PWD' => $from,
            'COLUMNS' => '500',
            'LINES' => '50',
            'PHP_INI_SCAN_DIR' => $this->ini->path,
        ];
        $process = new Process(
            [Programs::php(), $script, ...$arguments],
            $from,
            $environment + $own + $nothingElse,
            timeout: 60,
        );
        $process->run();

        return new Outcome((int) $process->getExitCode(), $process->getOutput(), $process->getErrorOutput());
    }

    /**
     * Code that opcache has compiled where a function was there calls it where it is not: nothing compiled is shared.
     *
     * @param array<string, string> $settings
     */
    private function settle(array $settings): void
    {
        foreach ((array) glob(CompiledOnce::environment()['PHP_INI_SCAN_DIR'].'/*.ini') as $file) {
            if (! str_contains((string) $file, 'compiled.ini')) {
                $this->ini->write(basename((string) $file), (string) file_get_contents((string) $file));
            }
        }

        $lines = array_map(
            static fn (string $name, string $value): string => "{$name} = \"{$value}\"\n",
            array_keys($settings),
            $settings,
        );
        $this->ini->write('zzz-host.ini', "display_errors = stderr\n".implode('', $lines));
    }
}
