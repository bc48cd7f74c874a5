<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use RuntimeException;
use Symfony\Component\Process\PhpExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * How much of the package real processes of a Laravel application go through.
 */
final readonly class Walks
{
    private const RESULT = 'storage/walk.json';

    /** Hides the servers of this machine, so that the doctor looks at the same things everywhere. */
    private const ALONE = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

    private function __construct(private ScratchApplication $app, private InstrumentedCopy $copy) {}

    /** @return list<Count> */
    public static function counts(): array
    {
        $walks = new self(ScratchApplication::onThisCheckout(), InstrumentedCopy::ofSource());

        try {
            return $walks->all();
        } finally {
            $walks->app->remove();
        }
    }

    /** @return list<Count> */
    private function all(): array
    {
        $root = Files::root();
        $this->app->config('spool', "array_replace(require '{$root}/config/spool.php', ['buckets' => [
            'x' => ['sink' => 'database', 'table' => 'api_events'],
        ]])");
        $this->app->migrate();
        $this->walk('artisan', 'app:buffer', '1', 'x');
        $flush = $this->walk('artisan', 'spool:flush', 'x');

        if (count($this->app->rows('SELECT event FROM api_events')) !== 1) {
            throw new RuntimeException('The event that was to be flushed is not in its table.');
        }

        return [
            ...$flush->counts('flush_walk'),
            ...$this->walk(__DIR__.'/append.php')->counts('append_walk'),
            ...$this->collect(),
            Count::of('artisan_list_files', $this->walk('artisan', 'list', '--raw')->files),
            Count::of('artisan_env_files', $this->walk('artisan', 'env')->files),
            $this->doctor(),
        ];
    }

    private function walk(string ...$arguments): Walk
    {
        return $this->run([], array_values($arguments));
    }

    /** @return list<Count> */
    private function collect(): array
    {
        $walk = $this->walk(__DIR__.'/collect.php');

        return [...$walk->counts('collect_walk'), Count::of('collect_walk.two_way', $walk->twoWay())];
    }

    private function doctor(): Count
    {
        $isAlone = (new Process([...self::ALONE, 'true']))->run() === 0;
        $command = [Files::root().'/bin/headroom', 'doctor', '--only=N1', '--fail-on=never'];
        $files = $this->run($isAlone ? self::ALONE : [], $command)->files;

        return new Count('doctor_only_files', count($files), $files, isBudgeted: $isAlone);
    }

    /**
     * @param list<string> $prefix
     * @param list<string> $arguments
     */
    private function run(array $prefix, array $arguments): Walk
    {
        $php = (new PhpExecutableFinder)->find();
        $outcome = $this->app->run(
            [...$prefix, $php === false ? 'php' : $php, '-d', 'auto_prepend_file='.__DIR__.'/walk.php', ...$arguments],
            [
                'HEADROOM_WALK_COPY' => $this->copy->directory,
                'HEADROOM_WALK_RESULT' => $this->app->path(self::RESULT),
            ],
        );

        if ($outcome->exit !== 0) {
            throw new RuntimeException(implode(' ', $arguments)." ended with {$outcome->exit}: {$outcome->all()}");
        }

        return Walk::fromJson($this->app->read(self::RESULT));
    }
}
