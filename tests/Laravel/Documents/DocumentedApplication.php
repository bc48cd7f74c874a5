<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Documents;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Process\Programs;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Documents\ConfigBlocks;
use Headroom\Tests\Support\Documents\Shell;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Redis\RedisServer;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Assert;

/**
 * The application of a reader: what `laravel new` makes, with the tables and variables that pages take for granted.
 */
final class DocumentedApplication
{
    private const FIXTURE = __DIR__.'/../fixtures/documents';

    private const BODY = [
        'user_id' => 7,
        'event' => 'api_call',
        'email' => 'ada@example.com',
        'name' => 'Ada',
        'order' => 4711,
    ];

    private ?BuiltInServer $server = null;

    /** @var array<string, string> what stands here for the reader's addresses and paths */
    private array $own = [];

    private int $fragments = 0;

    private function __construct(public readonly ScratchApplication $app, private readonly ?RedisServer $redis) {}

    public static function create(bool $usesRedis): self
    {
        $app = ScratchApplication::onThisCheckout();
        $files = new Filesystem;
        $files->deleteDirectory($app->path('routes'));
        $files->copyDirectory(self::FIXTURE, $app->path());

        foreach (['bin', 'vendor/bin', 'routes/web', 'routes/api', 'routes/console', 'tests/Feature'] as $folder) {
            $files->ensureDirectoryExists($app->path($folder));
        }

        $own = new self($app, $usesRedis ? RedisServer::start() : null);
        $own->installPrograms();
        $app->write('given-spool.php', str_replace('PACKAGE', Files::root(), $app->read('config/spool.php')));
        $app->write('config/spool.php', $app->read('given-spool.php'));

        foreach (['create_spool_ledger_table', 'create_spool_nodes_table'] as $number => $name) {
            $file = "database/migrations/2026_01_01_00000{$number}_{$name}.php";
            copy(Files::root()."/{$file}", $app->path($file));
        }

        $own->serve();

        return $own;
    }

    public function close(): void
    {
        $this->server?->stop();
        $this->redis?->stop();
        $this->app->remove();
    }

    public function url(): string
    {
        return $this->server?->url() ?? Assert::fail('The application is not served.');
    }

    public function write(string $name, string $text): void
    {
        (new Filesystem)->ensureDirectoryExists(dirname($this->app->path($name)));
        $this->app->write($name, strtr($text, $this->own));
    }

    public function append(string $name, string $text): void
    {
        file_put_contents($this->app->path($name), $text, FILE_APPEND);
    }

    /**
     * @param string $code a whole file; it has the variables of given.php
     * @param array<string, string> $env
     */
    public function runs(string $code, array $env = []): Outcome
    {
        $name = 'storage/fragment-'.++$this->fragments.'.php';
        $this->write($name, $code);

        return $this->app->run([Programs::php(), 'fragment.php', $this->app->path($name)], $env);
    }

    /**
     * The sink of each bucket of this block can be made of its settings, whatever other blocks say.
     *
     * @param list<string> $drivers that the application adds
     */
    public function accepts(CodeBlock $settings, array $drivers = []): Outcome
    {
        $blocks = new ConfigBlocks;
        $blocks->add($settings);
        $files = $blocks->files(['config/spool.php' => $this->app->path('given-spool.php')]);
        $this->write('storage/spool.php', $files['config/spool.php'] ?? "<?php\n\nreturn config('spool');\n");

        $names = var_export($drivers, true);

        return $this->runs(<<<PHP
            <?php

            foreach ({$names} as \$driver) {
                Headroom\Laravel\Facades\Buffer::extend(\$driver, fn () => new Headroom\Sink\Memory\MemorySink);
            }

            config(['spool' => require storage_path('spool.php')]);
            \$spool = app(Headroom\Spool\Services\SpoolServices::class);

            foreach (\$spool->config()->buckets() as \$bucket) {
                \$spool->sinks()->of(\$bucket);
            }
            PHP, self::variables($settings->code));
    }

    public function shell(string $code): Outcome
    {
        $this->write('storage/block.sh', Shell::script($code));

        return $this->app->run(['bash', $this->app->path('storage/block.sh')], [
            'PATH' => $this->app->path('bin').':'.getenv('PATH'),
            'OPENSEARCH_URL' => "{$this->url()}/api/given/index",
        ]);
    }

    public function tests(string $file): Outcome
    {
        return $this->app->run(
            // Laravel 11 reads the path from $_ENV only, which Debian's php.ini leaves empty.
            [Programs::php(), '-d', 'variables_order=EGPCS', 'vendor/bin/phpunit', '--no-progress', $file],
            ['APP_BASE_PATH' => $this->app->path()],
        );
    }

    /** With a body that has what the pages speak of. */
    public function requests(string $method, string $uri): void
    {
        $address = $this->url().'/'.preg_replace('/\{[^}]+\}/', '1', $uri);
        [$status, $body] = Http::send($method, $address, $method === 'GET' ? null : self::BODY);
        Assert::assertTrue(
            $status < 500 && ! in_array($status, [404, 405, 419], true),
            "{$method} {$uri}: {$status} ".json_encode($body).$this->app->log(),
        );
    }

    public function notes(string $file): string
    {
        return is_file($this->app->path($file)) ? $this->app->read($file) : '';
    }

    /** Starts the web server and tells the application the addresses of what a reader has. */
    private function serve(): void
    {
        $this->server = $this->app->serve();
        $url = $this->server->url();
        $this->append('.env', implode("\n", [
            "APP_URL={$url}",
            "CRM_URL={$url}/api/given/contacts",
            'CRM_SECRET=whsec_bm90aGluZyB0aGF0IGlzIHNlY3JldA==',
            "COLLECTOR_URL={$url}/api/given/events",
            'COLLECTOR_KEY=given',
            'MAIL_MAILER=log',
            ...($this->redis === null ? [] : ["REDIS_PORT={$this->redis->port}"]),
        ])."\n");
        $this->own = [
            '/path/to/app' => $this->app->path(),
            '/var/lib/headroom' => $this->app->path('storage/headroom'),
            'http://127.0.0.1:8000' => $url,
            // A collector of the page takes a free port; no page sends to it.
            '127.0.0.1:8080' => '127.0.0.1:0',
            '127.0.0.1:9180' => '127.0.0.1:0',
        ];
    }

    /** @return array<string, string> values for the variables that settings read and a reader sets */
    private static function variables(string $code): array
    {
        preg_match_all("/env\\('((?!SPOOL_|HEADROOM_)[A-Z_]+)'\\)/", $code, $named);
        $values = [];

        foreach ($named[1] as $name) {
            $values[$name] = str_ends_with($name, '_URL') ? 'https://given.example' : 'given';
        }

        return $values;
    }

    private function installPrograms(): void
    {
        $vendor = array_key_first(ClassLoader::getRegisteredLoaders());
        copy($this->app->path('autoload.php'), $this->app->path('vendor/autoload.php'));
        symlink(Files::root().'/bin/headroom', $this->app->path('vendor/bin/headroom'));
        symlink("{$vendor}/bin/phpunit", $this->app->path('vendor/bin/phpunit'));

        foreach (Shell::programs($this->app->path(Shell::NOTES)) as $name => $text) {
            $this->app->write("bin/{$name}", $text);
            chmod($this->app->path("bin/{$name}"), 0o755);
        }

        $this->app->shareWithEverybody();

        foreach (['config', 'database/migrations', 'storage/app', 'storage/app/private'] as $folder) {
            chmod($this->app->path($folder), 0o777);
        }
    }
}
