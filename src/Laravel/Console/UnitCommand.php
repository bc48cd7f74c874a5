<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\CommandGuard;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Console\Command;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Support\Str;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:unit', description: 'Print a unit that keeps spool:work running')]
final class UnitCommand extends Command
{
    protected $signature = 'spool:unit {kind : systemd or supervisor}';

    public function configure(): void
    {
        $this->setHelp('Prints and changes nothing. User, paths and PHP are those of this application as it lies here; look over it before it is installed. Exit codes: 0 printed, 1 the configuration is wrong, 2 wrong usage.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new CommandGuard($output))->guard(fn (): int => parent::run($input, $output));
    }

    public function handle(SpoolServices $spool, Repository $config): int
    {
        $kind = $this->argument('kind');
        $application = $config->get('app.name');
        $application = is_string($application) && $application !== '' ? $application : 'Laravel';
        $slug = Str::slug($application);
        $uid = $this->owner($spool);
        $buckets = count($spool->config()->names());
        $unit = new WorkerUnit('spool-'.($slug === '' ? 'laravel' : $slug), $application, $this->base(), PHP_BINARY, $this->userName($uid), $buckets > 1 ? $buckets + ($spool->config()->heartbeats() === false ? 1 : 2) : 1);

        $text = match ($kind) {
            'systemd' => $unit->systemd(),
            'supervisor' => $unit->supervisor(),
            default => throw new InvalidArgumentException("'".(is_string($kind) ? $kind : '')."' is not known. It is one of systemd, supervisor."),
        };

        $this->getOutput()->write($text, false, OutputInterface::OUTPUT_RAW);

        if ($uid === 0) {
            (new CommandGuard($this->getOutput()->getOutput()))->complain('The buffer and storage/ belong to root. Put the user that serves requests, such as www-data, in place of root before you install this.');
        }

        return self::SUCCESS;
    }

    /** Whoever owns the buffer writes to it; until it is there, whoever owns what the application writes to. */
    private function owner(SpoolServices $spool): int
    {
        clearstatcache();
        $owner = @fileowner($spool->store()->root);
        $owner = $owner === false ? @fileowner($this->laravel->storagePath()) : $owner;

        return $owner === false ? 0 : $owner;
    }

    private function userName(int $uid): string
    {
        $user = function_exists('posix_getpwuid') ? posix_getpwuid($uid) : false;

        return $user === false ? (string) $uid : $user['name'];
    }

    /**
     * The path by which a deploy leaves the application: PHP resolves a link such as "current", and the directory behind
     * it is removed a few releases later.
     */
    private function base(): string
    {
        $base = $this->laravel->basePath();

        foreach ([getenv('PWD'), dirname($base, 2).'/current'] as $path) {
            if (is_string($path) && $path !== '' && @realpath($path) === realpath($base)) {
                return rtrim($path, '/');
            }
        }

        return $base;
    }
}
