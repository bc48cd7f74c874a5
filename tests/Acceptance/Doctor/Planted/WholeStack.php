<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Dev\DelayProxy;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Fix;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Unit\Doctor\Support\Together;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * nginx, PHP-FPM, Redis, MariaDB and a Laravel application that they serve together. The doctor is asked as a user asks
 * it: `php artisan headroom:doctor --json`.
 *
 * @phpstan-type Problem array{
 *     id: string,
 *     status: string,
 *     subject: string,
 *     message: string,
 *     severity: string,
 *     fix: array{
 *         text: string,
 *         edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
 *         commands: list<string>,
 *     },
 * }
 */
final class WholeStack
{
    private const SYSCTL = '/etc/sysctl.d/60-headroom.conf';

    /** @var array<mixed> handles that keep the servers running */
    private array $held = [];

    /** @var array<string, string> what the kernel said before */
    private array $kernel = [];

    /** @param ?DelayProxy $far between the application and its SQL server */
    private function __construct(
        public readonly PlantedSql $sql,
        public readonly PlantedRedis $redis,
        public readonly PlantedApplication $app,
        public readonly Stack $web,
        private readonly TemporaryDirectory $home,
        public readonly ?DelayProxy $far,
    ) {}

    public function __destruct()
    {
        foreach ($this->held as $one) {
            if ($one instanceof Process) {
                $one->stop(0);
            }
        }

        $this->held = [];
        $this->kernel($this->kernel);
        $this->far?->stop();
        $this->app->application->remove();
        $this->home->remove();
    }

    public static function with(Planting $planting): self
    {
        $sql = PlantedSql::with($planting->sql);
        $redis = PlantedRedis::with($planting->redis, $planting->commands, $planting->rule === 'R6');
        $far = $planting->away === 0.0
            ? null
            : DelayProxy::start($sql->server['host'], (int) $sql->server['port'], $planting->away);
        $app = PlantedApplication::with(
            $planting,
            $redis,
            ($far === null ? [] : ['host' => $far->host, 'port' => (string) $far->port]) + $sql->server,
        );
        $web = new Stack(
            $planting->nginx,
            $planting->fpm,
            $planting->ini,
            script: "<?php require \$_GET === [] ? '{$app->application->path('public/index.php')}' :"
                ." __DIR__.'/acts.php';",
            env: $app->application->env(),
        );
        $home = TemporaryDirectory::create('home');
        // The default server of mysql.
        $home->write(
            '.my.cnf',
            "[client]\nhost={$sql->server['host']}\nport={$sql->server['port']}\nuser={$sql->server['username']}\npassword={$sql->server['password']}\n",
        );

        $stack = new self($sql, $redis, $app, $web, $home, $far);

        // opcache has files of the application after its first request.
        for ($request = 0; $planting->ini !== [] && $request < 3; $request++) {
            $stack->serves() || throw new RuntimeException("{$planting->name}: the application does not answer.");
        }

        $stack->held = $planting->work === null ? [] : ($planting->work)($stack);

        return $stack;
    }

    public function serves(): bool
    {
        return $this->web->get(seconds: 20.0, path: '/plain') === '{"plain":true}';
    }

    /**
     * Tells the kernel, of this network alone, until the stack ends.
     *
     * @param array<string, string> $settings such as net.core.somaxconn
     */
    public function kernel(array $settings): void
    {
        $settings === []
            || preg_match_all('/^ *([^\s:]+):/m', (string) file_get_contents('/proc/net/dev'), $devices) === 1
            || throw new RuntimeException(
                'Settings of the kernel are planted in a network of its own only: dev/alone.sh, as root.',
            );

        foreach ($settings as $name => $value) {
            $file = '/proc/sys/'.strtr($name, '.', '/');
            $this->kernel[$name] ??= trim((string) file_get_contents($file));
            file_put_contents($file, $value) !== false
                || throw new RuntimeException("{$name} cannot be set to {$value}.");
        }
    }

    /** @return list<Problem> */
    public function problems(): array
    {
        return array_values(
            array_filter(
                $this->findings(),
                static fn (array $finding): bool => in_array($finding['status'], ['warn', 'fail'], true),
            ),
        );
    }

    /** @return list<Problem> and what is no problem */
    public function findings(): array
    {
        $outcome = $this->app->application->artisan('headroom:doctor', '--json');
        /** @var array{counts: array<string, int>, findings: list<Problem>} $read */
        $read = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);
        $read['counts']['crashed'] === 0 || throw new RuntimeException($outcome->out);

        return $read['findings'];
    }

    /**
     * All of them as one fix: what two say of one line is said by the first.
     *
     * @param list<Problem> $problems
     */
    public function applyFixes(array $problems): void
    {
        $fixes = [];

        foreach ($problems as $at => $problem) {
            $fixes["fix {$at}"] = new Fix(
                $problem['fix']['text'],
                array_map(Edit::fromArray(...), $problem['fix']['edits']),
                $problem['fix']['commands'],
            );
        }

        [$edits, $left] = Together::of($fixes);
        $commands = array_merge(
            ...array_values(
                array_map(static fn (Fix $fix): array => $fix->commands, array_diff_key($fixes, array_flip($left))),
            ),
        );
        $all = new Fix('all of them', $edits, array_values(array_unique($commands)));
        $this->applyFix(
            ['id' => '', 'status' => '', 'subject' => '', 'message' => '', 'severity' => '', 'fix' => $all->toArray()],
        );
    }

    /**
     * @param Problem $problem
     * @return list<string> commands that could not be run here: no server has a unit, and no page a name
     */
    public function applyFix(array $problem): array
    {
        $left = [];

        foreach ($problem['fix']['edits'] as $edit) {
            $edit['file'] === self::SYSCTL
                || str_starts_with($edit['file'], rtrim(sys_get_temp_dir(), '/').'/headroom-')
                || throw new RuntimeException("{$edit['file']} is no file of this stack.");
        }

        // The settings of the machine that this runs on are not the stack's.
        $own = $this->home->file('sysctl.conf');
        $fix = $problem['fix'];
        $fix['edits'] = array_map(
            static fn (array $edit): array => ['file' => $edit['file'] === self::SYSCTL ? $own : $edit['file']] + $edit,
            $fix['edits'],
        );
        $fix['commands'] = array_map(
            static fn (string $command): string => str_replace(self::SYSCTL, $own, $command),
            $fix['commands'],
        );
        PrintedFix::of($fix)->apply(function (string $command) use (&$left): void {
            // A server that a command starts is not the stack's, and who looks at pages knows their names.
            if (preg_match('/\bsystemctl |\bkill -QUIT |\Acurl /', $command) === 1) {
                $left[] = $command;

                return;
            }

            // This runs as root already, so sudo is not needed.
            (new Process(
                ['/bin/sh', '-c', (string) preg_replace('/(?<=\A|&& )sudo /', '', $command)],
                $this->app->application->path(),
                ['HOME' => $this->home->path, 'PATH' => dirname(Programs::php()).':'.getenv('PATH')]
                    + $this->app->application->env(),
                timeout: 60,
            ))->mustRun();
        });

        return $left;
    }
}
