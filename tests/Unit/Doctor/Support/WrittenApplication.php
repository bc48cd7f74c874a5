<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Laravel\Queue\JobClass;
use Headroom\Doctor\Laravel\Queue\JobClasses;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Process\TemporaryDirectory;

/**
 * An application whose configuration is in files, so that what a fix says can be done to it and the doctor be asked
 * again.
 */
final class WrittenApplication
{
    /** @var array<string, string> of .env, for config files that are being read */
    private static array $env = [];

    private readonly TemporaryDirectory $directory;

    /**
     * @param array<string, string> $files of config/, what they return, by name
     * @param list<QueueWorker> $workers
     * @param list<JobClass> $classes
     */
    public function __construct(
        private readonly array $files,
        private readonly PhpCli $php,
        private readonly array $workers = [],
        private readonly array $classes = [],
    ) {
        $this->directory = TemporaryDirectory::create('written');
        mkdir($this->directory->file('config'));
        $this->restore();
    }

    public function __destruct()
    {
        $this->directory->remove();
    }

    public static function env(string $name, mixed $default): mixed
    {
        return self::$env[$name] ?? $default;
    }

    public function restore(): void
    {
        foreach ($this->files as $name => $code) {
            $this->directory->write("config/{$name}.php", "<?php\n\nuse ".self::class." as W;\n\nreturn {$code};\n");
        }

        $this->directory->write('.env', "APP_ENV=production\n");
    }

    /** @return string for a failure */
    public function text(): string
    {
        return implode("\n", array_map($this->read(...), ['.env', ...$this->names()]));
    }

    public function examined(): Report
    {
        preg_match_all('/^(\w+)=(.*)$/m', $this->read('.env'), $lines);
        self::$env = array_combine($lines[1], array_map(static fn (string $value): string => trim($value), $lines[2]));
        $config = [];
        $texts = ['.env' => $this->read('.env')];

        foreach (array_keys($this->files) as $name) {
            $texts["config/{$name}.php"] = $this->read("config/{$name}.php");
            // As a function of this process it would be read once.
            $config[$name] = eval('?>'.$texts["config/{$name}.php"]);
        }

        $application = new Application(
            $this->directory->path,
            '12.0.0',
            'production',
            false,
            ['config', 'events', 'routes', 'views'],
            $config,
            texts: $texts,
            isOptimized: true,
        );

        return (new CheckRunner(CheckList::ofPackage()))->run(new Facts([
            Application::class => static fn (): Application => $application,
            PhpCli::class => fn (): PhpCli => $this->php,
            QueueWorkers::class => fn (): QueueWorkers => new QueueWorkers($this->workers),
            JobClasses::class => fn (): JobClasses => new JobClasses($this->classes),
        ]));
    }

    /**
     * All at once, from the last line to the first.
     *
     * @param array<string, Fix> $fixes by what they are for; of one that another changes a line of,
     *     what it says afterwards is done
     */
    public function applyAll(array $fixes): void
    {
        [$edits, $left] = Together::of($fixes);
        $this->apply(new Fix('all of them', $edits));

        foreach ($left as $key) {
            $this->apply($this->now($key) ?? new Fix('it is over'));
        }
    }

    /** @return array<string, Fix> of all problems that edits end */
    public static function fixes(Report $diagnosis): array
    {
        $fixes = [];

        foreach ($diagnosis->problems() as $problem) {
            if (($problem->finding->fix->edits ?? []) !== []) {
                $fixes[$problem->key()] = $problem->finding->fix;
            }
        }

        return array_filter($fixes);
    }

    /** @return array<string, Status> the worst of each rule and subject */
    public static function statuses(Report $diagnosis): array
    {
        $statuses = [];

        foreach ($diagnosis->results as $verdict) {
            $statuses[$verdict->key()] = $verdict->finding->status;
        }

        return $statuses;
    }

    private function now(string $key): ?Fix
    {
        return self::fixes($this->examined())[$key] ?? null;
    }

    private function apply(Fix $fix): void
    {
        foreach (array_reverse($fix->edits) as $edit) {
            file_put_contents($edit->file, $edit->appliedTo((string) file_get_contents($edit->file)));
        }
    }

    /** @return list<string> */
    private function names(): array
    {
        return array_map(static fn (string $name): string => "config/{$name}.php", array_keys($this->files));
    }

    private function read(string $name): string
    {
        return (string) file_get_contents($this->directory->file($name));
    }
}
