<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Bench\Preload\UnableToMeasure;
use Headroom\Preload\TargetApplication;
use Headroom\Process\FinishedProcess;
use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Programs;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use Headroom\Support\EffectiveUser;

/**
 * A copy of an application with an authoritative class map. It consists of links to the files of the application, and
 * of copies of the files that derive the root directory from their own path. The application is not changed. Root makes
 * the copy with the rights of the workers' user, who could put links into it that root would follow.
 *
 * @internal
 */
final readonly class AuthoritativeClassmapCopy implements Stoppable
{
    private function __construct(private TemporaryDirectory $directory, public TargetApplication $application) {}

    /**
     * @param string $vendor relative to the root
     *
     * @throws UnableToMeasure
     */
    public static function of(TargetApplication $application, string $vendor): self
    {
        $composer = Programs::optional('composer') ?? throw UnableToMeasure::noComposer();
        $directory = TemporaryDirectory::create('authoritative', $application->account);
        $front = substr($application->frontController, strlen($application->root) + 1);
        $copied = array_values(array_unique([
            'bootstrap', ...(str_contains($front, '/') ? [dirname($front)] : []), "{$vendor}/composer",
        ]));

        $root = $directory->work;
        EffectiveUser::in($root)->during(static fn () => self::fill($application->root, $root, '', [
            ...$copied, $front, 'composer.json', "{$vendor}/autoload.php",
        ]));
        $dumped = self::dump($composer, $directory, $application->account);

        if ($dumped->exit !== 0) {
            $directory->remove();

            throw UnableToMeasure::composerFailed(trim($dumped->errors));
        }

        $copy = new self(
            $directory,
            new TargetApplication(
                $root,
                "{$root}/{$front}",
                $application->url,
                $application->env,
                $application->headers,
                $application->account,
                $application->ini,
            ),
        );
        ShutdownHandler::stop($copy);

        return $copy;
    }

    public function stop(): void
    {
        $this->directory->remove();
    }

    /**
     * @param string $below a directory, relative; '' for the root
     * @param list<string> $copied directories and files, relative
     */
    private static function fill(string $root, string $to, string $below, array $copied): void
    {
        $entries = scandir("{$root}/{$below}");

        foreach (array_diff($entries === false ? [] : $entries, ['.', '..']) as $name) {
            $path = ltrim("{$below}/{$name}", '/');
            $isIn = array_filter(
                $copied,
                static fn (string $one): bool => $path === $one || str_starts_with($path, "{$one}/"),
            ) !== [];
            $isAbove = array_filter($copied, static fn (string $one): bool => str_starts_with($one, "{$path}/")) !== [];

            if (! is_dir("{$root}/{$path}")) {
                $isIn && is_file("{$root}/{$path}")
                    ? @copy("{$root}/{$path}", "{$to}/{$path}")
                    : symlink("{$root}/{$path}", "{$to}/{$path}");
            } elseif (($isIn || $isAbove) && ! is_link("{$root}/{$path}")) {
                mkdir("{$to}/{$path}");
                self::fill($root, $to, $path, $copied);
            } else {
                symlink("{$root}/{$path}", "{$to}/{$path}");
            }
        }
    }

    private static function dump(string $composer, TemporaryDirectory $directory, ?UnixUser $account): FinishedProcess
    {
        $command = [
            $composer,
            'dump-autoload',
            '--optimize',
            '--classmap-authoritative',
            '--no-scripts',
            '--no-plugins',
            '--no-interaction',
        ];

        return $directory->work === $directory->path
            ? FinishedProcess::of($command, $directory->work, ['COMPOSER_ALLOW_SUPERUSER' => '1'])
            // HOME would be root's, whose settings of Composer another user may not read.
            : FinishedProcess::of(ParentDeathSignal::around($command, Signal::Kill, $account), $directory->work, [
                'HOME' => $directory->work,
                'COMPOSER_HOME' => "{$directory->work}/.composer",
            ]);
    }
}
