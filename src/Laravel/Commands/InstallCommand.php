<?php

declare(strict_types=1);

namespace Headroom\Laravel\Commands;

use Headroom\Cli\Spool\Usage;
use Headroom\Core\HeadroomException;
use Headroom\Laravel\LedgerMigration;
use Headroom\Spool\File\Ground;
use Headroom\Spool\File\Permissions;
use Headroom\Spool\Runtime;
use Illuminate\Console\Command;
use Illuminate\Contracts\Foundation\CachesConfiguration;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:install')]
final class InstallCommand extends Command
{
    protected $signature = 'spool:install {--force : Overwrite a published config/spool.php}';

    protected $description = 'Publish the configuration and the migration, create the buffer directory, and try it out';

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output))->guard(fn (): int => parent::run($input, $output));
    }

    public function handle(Runtime $spool, LedgerMigration $migration): int
    {
        $this->call('vendor:publish', ['--tag' => 'spool-config', '--force' => $this->option('force') === true]);

        if ($migration->isPublished()) {
            $migration->publishAgainWhereMissing();
        } else {
            $this->call('vendor:publish', ['--tag' => 'spool-migrations']);
        }

        $exit = max($this->makeDirectory($spool), $this->call('spool:health'));
        $this->next();

        return $exit;
    }

    /** Deployments often run as root; what root makes belongs to whoever owns the directory around it. */
    private function makeDirectory(Runtime $spool): int
    {
        try {
            $store = $spool->store();
            $isNew = Permissions::isAbsent("{$store->root}/node");
            $store->node();
        } catch (HeadroomException $e) {
            $this->error($e->getMessage());

            return self::FAILURE;
        }

        if ($isNew) {
            array_map(Ground::handOver(...), [$store->root, "{$store->root}/node"]);
        }

        return self::SUCCESS;
    }

    private function next(): void
    {
        $this->line('');
        $this->line('Next:');
        $this->line('  1. Declare a bucket under \'buckets\' in config/spool.php.');
        $this->line('  2. php artisan migrate');
        $this->line('  3. Buffer::bucket(\'api-events\')->add([...]) where a request wrote to the database.');
        $this->line('  4. Let cron run `php artisan schedule:run` every minute, or keep `php artisan spool:work` running.');
        $this->line('  5. php artisan spool:health, also as the user that serves requests.');

        if ($this->laravel instanceof CachesConfiguration && $this->laravel->configurationIsCached()) {
            $this->line('The configuration is cached: run `php artisan config:cache` after each change of config/spool.php.');
        }
    }
}
