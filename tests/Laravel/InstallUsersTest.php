<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\UsersTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\ExecutableFinder;

/**
 * spool:install in the layouts of real servers: nobody deploys, and www-data serves. Whatever it says, requests of
 * www-data then buffer their events, or it did not say that the buffer is healthy.
 */
final class InstallUsersTest extends UsersTestCase
{
    protected function prepare(): Person
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'dir_mode' => env('SPOOL_DIR_MODE', 0700), 'file_mode' =>"
                ." env('SPOOL_FILE_MODE', 0600), 'heartbeats' => false, 'buckets' => ['api-events' => ['sink' =>"
                ." 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
        $this->sh('rm -rf storage/app storage/logs/* storage/framework/views/*; mkdir -p storage/app/private;'
            .' touch artisan; chmod 755 .');

        return Person::other();
    }

    /** @param string $layout commands of the administrator, in the directory of the application */
    private function layout(string $layout): void
    {
        $this->buffer = $this->app->path('storage/app/private/buffer');
        $this->sh($layout);
    }

    private function sh(string $script): void
    {
        $outcome = $this->app->run(['sh', '-ec', $script]);
        self::assertSame(0, $outcome->exit, $script.$outcome->all());
    }

    private function install(Person $person): Outcome
    {
        return $this->app->artisanAs($person, 'spool:install');
    }

    /** Whether a request of www-data is buffered; otherwise it goes to the sink directly. */
    private function isBuffered(): bool
    {
        $this->ok(Person::webServer(), 'app:buffer', '1');
        $isDirect = $this->delivered() === 1;
        $this->app->execute('delete from api_events');

        return ! $isDirect;
    }

    private function assertRefused(Outcome $installed): void
    {
        self::assertSame(1, $installed->exit, $installed->all());
        self::assertStringNotContainsString('Healthy', $installed->all());
        self::assertStringNotContainsString('Next:', $installed->all());
        self::assertStringContainsString(' FAIL  ', $installed->out);
        self::assertStringContainsString('www-data (uid 33) seems to serve requests', $installed->out);
        self::assertFalse($this->isBuffered());
    }

    private const DEPLOY_OWNS_ALL = 'chown -R nobody:www-data .; chmod -R g+rwX storage bootstrap/cache database;'
        .' find storage bootstrap -type d -exec chmod 2775 {} +';

    private const DEPLOY_OWNS_CODE = 'chown -R nobody:nogroup .; chown -R www-data:www-data storage database;'
        .' chmod -R o-w storage; chmod -R g+rX,o+rX .';

    #[Test, Group('day-1')]
    #[TestWith([''])]
    #[TestWith([
        'echo x > storage/logs/laravel.log; chown www-data storage/logs/laravel.log; chmod 666 storage/logs/*',
    ])]
    #[TestWith(['touch storage/framework/views/x.php; chown www-data storage/framework/views/x.php'])]
    public function deploy_owns_all_and_the_web_server_is_in_its_group(string $evidence): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL.";{$evidence}");
        $installed = $this->install(Person::other());
        $this->assertRefused($installed);

        // The second way that it prints: both users share the directory.
        $this->carryOut($installed->out, 'usermod');
        $shared = ['SPOOL_DIR_MODE=02770', 'SPOOL_FILE_MODE=0660'];
        $this->app->write('.env', implode("\n", $shared)."\n");
        $this->app->config('spool', str_replace(
            ["env('SPOOL_DIR_MODE', 0700)", "env('SPOOL_FILE_MODE', 0600)"],
            ['02770', '0660'],
            substr($this->app->read('config/spool.php'), strlen('<?php return '), -1),
        ));
        $web = Person::webServer(['nogroup']);
        $this->ok($web, 'app:buffer', '1');
        self::assertSame(0, $this->delivered());
        $this->ok(Person::other(), 'spool:flush');
        self::assertSame(1, $this->delivered());
    }

    #[Test, Group('day-1')]
    public function the_command_that_it_prints_gives_the_buffer_to_the_web_server(): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL);
        $installed = $this->install(Person::other());
        $this->assertRefused($installed);

        $this->carryOut($installed->out, 'chown');
        self::assertTrue($this->isBuffered());
        $again = $this->install(Person::webServer());
        self::assertSame(0, $again->exit, $again->all());
        self::assertStringContainsString('Healthy', $again->out);
    }

    #[Test]
    public function json_is_not_healthy_either(): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL);
        $installed = $this->app->artisanAs(Person::other(), 'spool:install', '--json');
        $json = json_decode($installed->out, true);

        self::assertSame(1, $installed->exit);
        self::assertIsArray($json);
        self::assertSame([true, false], [$json['installed'], $json['healthy']]);
        self::assertStringContainsString('www-data (uid 33)', $installed->out);
    }

    #[Test]
    public function storage_of_the_web_server_is_healthy_for_it_and_denied_to_deploy(): void
    {
        $this->layout(self::DEPLOY_OWNS_CODE);
        $installed = $this->install(Person::webServer());
        self::assertSame(0, $installed->exit, $installed->all());
        self::assertStringContainsString('Healthy', $installed->out);
        self::assertTrue($this->isBuffered());

        $denied = $this->install(Person::other());
        self::assertSame(1, $denied->exit);
        self::assertStringNotContainsString('Healthy', $denied->all());
    }

    #[Test]
    public function root_gives_the_buffer_to_the_owner_of_storage(): void
    {
        $this->layout(self::DEPLOY_OWNS_CODE);
        $installed = $this->install(Person::root());

        self::assertSame(0, $installed->exit, $installed->all());
        self::assertTrue($this->isBuffered());
    }

    #[Test]
    public function root_that_installs_where_deploy_owns_all_is_told_the_command(): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL);
        $installed = $this->install(Person::root());
        $this->assertRefused($installed);
        $this->carryOut($installed->out, 'chown');

        $again = $this->install(Person::root());
        self::assertSame(0, $again->exit, $again->all());
        self::assertTrue($this->isBuffered());
    }

    #[Test]
    #[TestWith([true])]
    #[TestWith([false])]
    public function a_directory_that_the_web_server_can_only_read_is_refused(bool $asRoot): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL.'; mkdir -p storage/app/private/buffer;'
            .' chown nobody:www-data storage/app/private/buffer; chmod 2750 storage/app/private/buffer');

        $this->assertRefused($this->install($asRoot ? Person::root() : Person::other()));
    }

    #[Test]
    #[TestWith([true])]
    #[TestWith([false])]
    public function a_bucket_that_deploy_created_in_a_shared_directory_is_refused(bool $asRoot): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL);
        $this->ok(Person::other(), 'app:buffer', '1');
        $this->sh("chmod 2770 {$this->buffer}");
        $person = $asRoot ? Person::root() : Person::other();
        $installed = $this->install($person);
        $this->assertRefused($installed);

        $this->carryOut($installed->out, 'chown');
        self::assertTrue($this->isBuffered());
    }

    #[Test]
    #[TestWith([true])]
    #[TestWith([false])]
    public function files_that_an_administrator_left_in_storage_prove_nothing(bool $asRoot): void
    {
        $this->layout('chown -R www-data:www-data .; chmod -R go-w .; touch storage/logs/laravel-2026-01-01.log;'
            .' chown nobody:nogroup storage/logs/*; mkdir -p storage/framework/sessions;'
            .' chown www-data:www-data storage/framework/sessions; touch storage/framework/sessions/copied;'
            .' chown 54321:54321 storage/framework/sessions/copied');
        $installed = $this->install($asRoot ? Person::root() : Person::webServer());

        self::assertSame(0, $installed->exit, $installed->all());
        self::assertStringNotContainsString('seems to serve', $installed->all());
        self::assertTrue($this->isBuffered());
    }

    #[Test]
    public function storage_that_is_open_to_each_user_leaves_a_note(): void
    {
        $this->layout('chown -R nobody:nogroup .; chmod -R go-w .; chmod -R 777 storage bootstrap/cache database');
        $installed = $this->install(Person::other());
        self::assertSame(0, $installed->exit, $installed->all());
        self::assertMatchesRegularExpression('/^ NOTE  .*no file shows which user/m', $installed->out);
        self::assertFalse($this->isBuffered());

        // The request has left a file.
        $this->sh('touch storage/framework/views/of-a-request; chown www-data storage/framework/views/of-a-request');
        $this->assertRefused($this->install(Person::other()));
    }

    #[Test]
    public function a_closed_directory_above_is_named_with_its_command(): void
    {
        $this->layout(self::DEPLOY_OWNS_ALL.'; chmod 700 storage/app');
        $installed = $this->install(Person::other());
        $this->assertRefused($installed);
        self::assertStringContainsString('chmod a+x '.$this->app->path('storage/app').'`', $installed->out);
    }

    #[Test]
    public function one_user_that_owns_and_serves_all_is_healthy(): void
    {
        $this->layout('chown -R www-data:www-data .');
        $installed = $this->install(Person::webServer());

        self::assertSame(0, $installed->exit, $installed->all());
        self::assertStringNotContainsString('seems to serve', $installed->out);
        self::assertTrue($this->isBuffered());
    }

    #[Test]
    public function a_container_with_root_only_is_healthy(): void
    {
        $this->layout('chown -R root:root .; chmod -R go-w .');
        $installed = $this->install(Person::root());

        self::assertSame(0, $installed->exit, $installed->all());
        self::assertStringContainsString('Healthy', $installed->out);
    }

    #[Test]
    #[TestWith([true])]
    #[TestWith([false])]
    public function a_user_that_only_an_acl_lets_in_is_judged_by_the_effective_permissions(bool $asRoot): void
    {
        if ((new ExecutableFinder)->find('setfacl') === null) {
            self::markTestSkipped('setfacl is not installed: apt-get install acl');
        }

        $person = $asRoot ? Person::root() : Person::other();
        $this->layout('chown -R nobody:nogroup .; chmod -R go-w .; chmod 666 database/*.sqlite; chmod 777 database;'
            .' setfacl -R -m u:www-data:rwX storage bootstrap/cache;'
            .' setfacl -dR -m u:www-data:rwX storage bootstrap/cache');
        // The mode 0700 of the new directory masks the ACL.
        $this->assertRefused($this->install($person));

        $this->sh("setfacl -m m::rwx {$this->buffer}");
        $installed = $this->install($person);
        self::assertSame(0, $installed->exit, $installed->all());
        self::assertTrue($this->isBuffered());
    }

    #[Test]
    public function a_user_that_may_not_write_to_the_code_still_gets_the_directory(): void
    {
        $this->layout(
            self::DEPLOY_OWNS_CODE
                .'; rm -f config/spool.php database/migrations/*; chown -R nobody database/migrations',
        );
        $installed = $this->install(Person::webServer());

        self::assertSame(1, $installed->exit);
        self::assertStringContainsString('Not all files could be published', $installed->all());
        self::assertStringNotContainsString('Exception', $installed->all());
        self::assertDirectoryExists($this->buffer);
        self::assertTrue($this->isBuffered());
    }
}
