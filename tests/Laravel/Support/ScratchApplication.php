<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\CompiledOnce;
use Illuminate\Filesystem\Filesystem;
use PDO;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A minimal Laravel application in a directory of its own, used through real processes.
 */
final class ScratchApplication
{
    private const FIXTURE = __DIR__.'/../fixtures/app';

    private const DATABASE = 'database/database.sqlite';

    /** @var array<string, string> databases after migrate(), by what they were made of */
    private static array $migrated = [];

    /** @param array<string, string> $env of every process */
    private function __construct(private readonly TemporaryDirectory $directory, private readonly array $env) {}

    /**
     * On the checkout's own vendor directory: the package is the root package there, and nothing has to be installed.
     */
    public static function onThisCheckout(): self
    {
        $vendor = array_key_first(ClassLoader::getRegisteredLoaders());

        return self::create(['HEADROOM_AUTOLOAD' => "{$vendor}/autoload.php"]);
    }

    /** Without a vendor directory yet. */
    public static function toBeInstalled(): self
    {
        return self::create([]);
    }

    /** PHP's built-in server with one worker. Stop it before the application goes. */
    public function serve(string $front = 'public/index.php'): BuiltInServer
    {
        return BuiltInServer::start(new WebConfig($this->path($front), workers: 1, user: 'root', env: $this->env()));
    }

    public function remove(): void
    {
        (new Filesystem)->deleteDirectory($this->directory->path);
    }

    public function path(string $name = ''): string
    {
        return $name === '' ? $this->directory->path : $this->directory->file($name);
    }

    /** @return array<string, string> */
    public function env(): array
    {
        return $this->env;
    }

    /** @param string $code after "return" */
    public function config(string $name, string $code): void
    {
        $this->write("config/{$name}.php", "<?php\n\nreturn {$code};\n");
    }

    public function write(string $name, string $text): void
    {
        if (file_put_contents($this->path($name), $text) !== strlen($text)) {
            throw new RuntimeException("Could not write {$this->path($name)}.");
        }
    }

    public function read(string $name): string
    {
        return (string) file_get_contents($this->path($name));
    }

    public function artisan(string ...$arguments): Outcome
    {
        return $this->run([Programs::php(), 'artisan', '--no-ansi', ...array_values($arguments)]);
    }

    /** As another user, which only root can do; the umask is that of the process. */
    public function artisanAs(Person $person, string ...$arguments): Outcome
    {
        return $this->run([...$person->prefix(), Programs::php(), 'artisan', '--no-ansi', ...array_values($arguments)]);
    }

    /** Everybody may write where the application writes, and where the buffer is to be. */
    public function shareWithEverybody(): void
    {
        mkdir($this->path('shared'));

        foreach ([
            'database', 'shared', 'bootstrap/cache', 'storage', 'storage/logs', 'storage/framework/cache/data',
            'storage/framework/views',
        ] as $name) {
            chmod($this->path($name), 0o777);
        }

        chmod($this->path('database/database.sqlite'), 0o666);
    }

    /** The table of the events and the ledger, made by their own migrations. */
    public function migrate(): void
    {
        $this->write('database/migrations/2025_01_01_000000_events.php', <<<'PHP'
            <?php

            return new class extends Illuminate\Database\Migrations\Migration {
                public function up(): void
                {
                    Illuminate\Support\Facades\Schema::create('api_events', function (Illuminate\Database\Schema\Blueprint $table): void {
                        $table->id();
                        $table->string('event');
                    });
                }
            };
            PHP);
        copy(
            dirname(__DIR__, 3).'/database/migrations/2026_01_01_000000_create_spool_ledger_table.php',
            $this->path('database/migrations/2026_01_01_000000_create_spool_ledger_table.php'),
        );
        $of = json_encode(
            [
                $this->env,
                $this->read(self::DATABASE),
                array_map(
                    file_get_contents(...),
                    array_filter(
                        (array) glob($this->path('{config,database/migrations}/*.php'), GLOB_BRACE),
                        is_string(...),
                    ),
                ),
            ],
            JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE,
        );

        if (isset(self::$migrated[$of])) {
            $this->write(self::DATABASE, self::$migrated[$of]);

            return;
        }

        $outcome = $this->artisan('migrate', '--force');
        $outcome->exit === 0 || throw new RuntimeException($outcome->all());
        self::$migrated[$of] = $this->read(self::DATABASE);
    }

    /**
     * @param list<string> $command
     * @param array<string, string> $env
     */
    public function run(array $command, array $env = []): Outcome
    {
        $process = $this->process($command, $env);
        $process->run();

        return new Outcome((int) $process->getExitCode(), $process->getOutput(), $process->getErrorOutput());
    }

    /**
     * @param list<string> $command
     * @param array<string, string> $env
     */
    public function process(array $command, array $env = []): Process
    {
        $nothingElse = array_fill_keys(array_map(strval(...), array_keys(getenv() + $_ENV)), false);
        $own = [
            'PATH' => (string) getenv('PATH'),
            'HOME' => (string) getenv('HOME'),
            ...CompiledOnce::environment(),
            ...$this->env,
            ...$env,
        ];

        return new Process($command, $this->directory->path, $own + $nothingElse, timeout: 60);
    }

    /** @return list<array<string, mixed>> */
    public function rows(string $sql): array
    {
        $pdo = new PDO(
            'sqlite:'.$this->path('database/database.sqlite'),
            options: [PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC],
        );
        $statement = $pdo->query($sql);

        /** @var list<array<string, mixed>> $rows */
        $rows = $statement === false ? [] : $statement->fetchAll();

        return $rows;
    }

    public function execute(string $sql): void
    {
        (new PDO('sqlite:'.$this->path('database/database.sqlite')))->exec($sql);
    }

    public function log(): string
    {
        return is_file($this->path('storage/logs/laravel.log'))
            ? (string) file_get_contents($this->path('storage/logs/laravel.log'))
            : '';
    }

    /** @param array<string, string> $env */
    private static function create(array $env): self
    {
        $directory = TemporaryDirectory::create('scratch');
        (new Filesystem)->copyDirectory(self::FIXTURE, $directory->path);
        chmod($directory->path, 0o755);

        foreach ([
            'bootstrap/cache', 'config', 'database/migrations', 'resources/views', 'storage/app/private',
            'storage/framework/cache/data', 'storage/framework/views', 'storage/logs',
        ] as $name) {
            (new Filesystem)->ensureDirectoryExists($directory->file($name));
        }

        $directory->write('database/database.sqlite', '');
        $directory->write('.env', implode("\n", [
            'APP_KEY=base64:'.base64_encode(random_bytes(32)),
            'APP_ENV=local',
            'DB_CONNECTION=sqlite',
            'CACHE_STORE=file',
            'SESSION_DRIVER=array',
            'QUEUE_CONNECTION=database',
            'LOG_CHANNEL=single',
        ])."\n");

        return new self($directory, $env);
    }
}
