<?php

declare(strict_types=1);

namespace Headroom\Laravel\Commands;

use Headroom\Spool\Runtime;
use Illuminate\Console\Command;
use Symfony\Component\Console\Attribute\AsCommand;

/**
 * @internal
 */
#[AsCommand(name: 'spool:install')]
final class InstallCommand extends Command
{
    protected $signature = 'spool:install {--force : Overwrite a published config/spool.php}';

    protected $description = 'Publish the configuration and the migration, create the buffer directory, and try it out';

    public function handle(Runtime $spool): int
    {
        $this->call('vendor:publish', ['--tag' => 'spool-config', '--force' => $this->option('force') === true]);

        if (glob($this->laravel->databasePath('migrations/*_create_spool_ledger_table.php')) === []) {
            $this->call('vendor:publish', ['--tag' => 'spool-migrations']);
        }

        $exit = $this->call('spool:health');
        $this->line('');
        $this->line('Next:');
        $this->line('  1. Declare a bucket under \'buckets\' in config/spool.php.');
        $this->line('  2. php artisan migrate');
        $this->line('  3. Buffer::bucket(\'api-events\')->add([...]) where a request wrote to the database.');
        $this->line('  4. Let cron run `php artisan schedule:run` every minute, or keep `php artisan spool:work` running.');
        $this->line('  5. php artisan spool:health, also as the user that serves requests.');

        return $exit;
    }
}
