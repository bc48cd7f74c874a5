<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Host\Programs;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Stack;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * nginx, PHP-FPM, Redis, MariaDB and a Laravel application that they serve together. The doctor is asked as a user asks it: `php artisan
 * headroom:doctor --json`.
 *
 * @phpstan-type Problem array{id: string, status: string, subject: string, message: string, severity: string, fix: array{text: string, edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>, commands: list<string>}}
 */
final readonly class WholeStack
{
    private function __construct(public PlantedSql $sql, public PlantedRedis $redis, private PlantedApplication $app, private Stack $web, private TemporaryDirectory $home) {}

    public function __destruct()
    {
        $this->app->application->remove();
        $this->home->remove();
    }

    public static function with(Planting $planting): self
    {
        $sql = PlantedSql::with($planting->sql);
        $redis = PlantedRedis::with($planting->redis, $planting->commands, $planting->rule === 'R6');
        $app = PlantedApplication::with($planting, $redis, $sql->server);
        $web = new Stack($planting->nginx, $planting->fpm, $planting->ini, script: "<?php require '{$app->application->path('public/index.php')}';", env: $app->application->env());
        $home = TemporaryDirectory::create('home');
        // Whom mysql speaks to when nobody says it.
        $home->write('.my.cnf', "[client]\nhost={$sql->server['host']}\nport={$sql->server['port']}\nuser={$sql->server['username']}\npassword={$sql->server['password']}\n");

        $stack = new self($sql, $redis, $app, $web, $home);

        // What opcache keeps is of the application once somebody asked for it.
        for ($request = 0; $planting->ini !== [] && $request < 3; $request++) {
            $stack->serves() || throw new RuntimeException("{$planting->name}: the application does not answer.");
        }

        return $stack;
    }

    public function serves(): bool
    {
        return $this->web->get(path: '/plain') === '{"plain":true}';
    }

    /** @return list<Problem> */
    public function problems(): array
    {
        $outcome = $this->app->application->artisan('headroom:doctor', '--json');
        /** @var array{counts: array<string, int>, findings: list<Problem>} $read */
        $read = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);
        $read['counts']['crashed'] === 0 || throw new RuntimeException($outcome->out);

        return array_values(array_filter($read['findings'], static fn (array $finding): bool => in_array($finding['status'], ['warn', 'fail'], true)));
    }

    /**
     * @param Problem $problem
     * @return list<string> commands that could not be run here: no server has a unit
     */
    public function mend(array $problem): array
    {
        $left = [];

        foreach ($problem['fix']['edits'] as $edit) {
            str_starts_with($edit['file'], rtrim(sys_get_temp_dir(), '/').'/headroom-') || throw new RuntimeException("{$edit['file']} is no file of this stack.");
        }

        PrintedFix::of($problem['fix'])->apply(function (string $command) use (&$left): void {
            if (str_starts_with($command, 'sudo systemctl ')) {
                $left[] = $command;

                return;
            }

            // Whoever runs this may already do what sudo is for.
            (new Process(['/bin/sh', '-c', (string) preg_replace('/\Asudo /', '', $command)], $this->app->application->path(), ['HOME' => $this->home->path, 'PATH' => dirname(Programs::php()).':'.getenv('PATH')] + $this->app->application->env(), timeout: 60))->mustRun();
        });

        return $left;
    }
}
