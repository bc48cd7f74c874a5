<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use ErrorException;
use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\Spool\Output\FindingList;
use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Laravel\Database\LedgerMigration;
use Headroom\Laravel\Install\HealthRoute;
use Headroom\Laravel\Install\UsersCheck;
use Headroom\Spool\FileStore\Fsync\DirectoryFsync;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\Path;
use Headroom\Support\PhpRestrictions;
use Illuminate\Console\Command;
use Illuminate\Contracts\Foundation\CachesConfiguration;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'spool:install',
    description: 'Publish the configuration and the migration, create the buffer directory, and check it',
)]
final class SpoolInstallCommand extends Command
{
    protected $signature = 'spool:install {--force : Overwrite a published config/spool.php}
        {--health-route : Let the health route /up fail while nothing delivers; asked at a terminal}
        {--json : Print JSON}';

    protected $help = <<<'HELP'
        The <info>%command.name%</info> command publishes config/spool.php and the migration, creates the directory of
        the buffer, and runs spool:health. It also looks for the users that serve requests, by the owners of files in
        storage/, and checks that they can use the buffer. You can run it again; it overwrites config/spool.php only
        with --force.

            <info>php %command.full_name%</info>
            <info>php %command.full_name% --force</info>
            <info>php %command.full_name% --health-route --no-interaction</info>

        Exit codes:

          0  installed and healthy
          1  the directory could not be created, a check fails, or a user that serves requests cannot use it
          2  wrong usage
        HELP;

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new CommandGuard($output, $input))
            ->guard(fn (OutputInterface $output): int => parent::run($input, $output));
    }

    public function handle(SpoolServices $spool, LedgerMigration $migration): int
    {
        $isJson = $this->option('json') === true;
        $unpublished = $this->publish($migration, $isJson ? $this->callSilently(...) : $this->call(...));
        $this->healthRoute($spool, $isJson);
        $failure = $this->makeDirectory($spool) ?? $unpublished;

        if ($isJson) {
            return $this->answer($spool, $failure);
        }

        if ($failure !== null) {
            $this->error($failure);
        }

        $exit = max($failure === null ? self::SUCCESS : self::FAILURE, $this->check($spool));

        if ($exit === self::SUCCESS) {
            $this->next($spool->config()->names() !== []);
        }

        return $exit;
    }

    /**
     * The user that serves requests may often not write where the code is.
     *
     * @param Closure(string, array<string, mixed>): int $call
     * @return ?string the error
     */
    private function publish(LedgerMigration $migration, Closure $call): ?string
    {
        try {
            $call('vendor:publish', ['--tag' => 'spool-config', '--force' => $this->option('force') === true]);

            if ($migration->isPublished()) {
                $migration->publishAgainWhereMissing();
            } else {
                $call('vendor:publish', ['--tag' => 'spool-migrations']);
            }
        } catch (ErrorException $e) {
            return "Not all files could be published: {$e->getMessage()}. Run `php artisan spool:install` as"
                .' the user that'
                .' owns the code, deploy config/ and database/migrations/, then run it here again.';
        }

        return null;
    }

    /** A load balancer may take a server whose /up fails out of service, so the default answer is no. */
    private function healthRoute(SpoolServices $spool, bool $isJson): void
    {
        $isOn = false;

        try {
            $isOn = $this->option('force') !== true && $spool->config()->healthRoute();
        } catch (HeadroomException) {
            // spool:health reports the invalid configuration.
        }

        $isWanted = ! $isOn && ($this->option('health-route') === true || (! $isJson && $this->isAtTerminal()
            && $this->confirm('Shall the health route /up fail while events wait and no flush runs?')));

        if ($isWanted && ! (new HealthRoute($this->laravel->configPath('spool.php')))->turnOn()) {
            $this->warn("Could not change config/spool.php. Add 'health_route' => true to it.");
        }
    }

    /**
     * Elsewhere the input may be the script that runs this command, as in `ssh server sh < deploy.sh`: the question
     * would read the rest of it. A pipe that nothing writes to would block the command.
     */
    private function isAtTerminal(): bool
    {
        return $this->input->isInteractive() && (
            (defined('STDIN') && PhpRestrictions::call('stream_isatty', STDIN) === true)
            || $this->laravel->runningUnitTests()
        );
    }

    /** spool:health would call a buffer healthy that another user cannot use. */
    private function check(SpoolServices $spool): int
    {
        $findings = $this->users($spool);
        $list = new FindingList($this->output);

        if (FindingList::isFatal($findings)) {
            $list->print([...$findings, ...(new Health($spool))->findings()]);

            return self::FAILURE;
        }

        $list->print($findings);

        return $this->call('spool:health');
    }

    /** @return list<Finding> */
    private function users(SpoolServices $spool): array
    {
        try {
            return UsersCheck::of($this->laravel, $spool)->findings();
        } catch (HeadroomException) {
            return []; // spool:health reports the invalid configuration.
        }
    }

    private function answer(SpoolServices $spool, ?string $failure): int
    {
        $problems = [...$this->users($spool), ...(new Health($spool))->findings()];
        $isHealthy = ! FindingList::isFatal($problems);
        (new JsonOutput($this->output))->print([
            'installed' => $failure === null,
            'path' => $spool->store()->root,
            'healthy' => $isHealthy,
            'problems' => $problems,
            'failure' => $failure,
        ]);

        return $failure === null && $isHealthy ? self::SUCCESS : self::FAILURE;
    }

    /**
     * Deployments often run as root, so the new directory gets the owner of its parent directory. The first event
     * creates the node id, not this command: an id in an image would become the id of many disks.
     *
     * @return ?string the error
     */
    private function makeDirectory(SpoolServices $spool): ?string
    {
        try {
            $store = $spool->store();
            $isNew = Path::isAbsent($store->root);
            $store->permissions->makeDirectory($store->root);
        } catch (HeadroomException $e) {
            return $e->getMessage();
        }

        if ($isNew) {
            RootDirectory::giveToOwner($store->root);
        }

        // A bucket with durability "power" syncs only the parent directories that its own user may read. This user may
        // be able to read more of them.
        DirectoryFsync::syncRoot($store->root);

        return null;
    }

    private function next(bool $isDeclared): void
    {
        $steps = [
            ...($isDeclared
                ? []
                : [
                    "Declare a bucket under 'buckets' in config/spool.php, such as 'api-events'.",
                    'Create its table: `php artisan make:migration create_api_events_table`.',
                ]),
            'Run `php artisan migrate`.',
            "Call Buffer::bucket('api-events')->add([...]) where a request wrote to the database.",
            'On each server let cron run `php artisan schedule:run` every minute, or keep `php artisan'
                .' spool:work` running.',
            'On your own machine keep `php artisan schedule:work` running.',
            'Run `php artisan spool:health`, also as the user that serves requests.',
        ];
        $this->line('');
        $this->line('Next:');

        foreach ($steps as $number => $step) {
            $this->line(sprintf('  %d. %s', $number + 1, $step));
        }

        if ($this->laravel instanceof CachesConfiguration && $this->laravel->configurationIsCached()) {
            $this->line(
                'The configuration is cached: run `php artisan config:cache` after each change of config/spool.php.',
            );
        }
    }
}
