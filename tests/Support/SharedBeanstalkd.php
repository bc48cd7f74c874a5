<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

/**
 * The server of bin/services, known by HEADROOM_BEANSTALKD_PORT.
 */
final readonly class SharedBeanstalkd
{
    public static function port(): int
    {
        $port = getenv('HEADROOM_BEANSTALKD_PORT');

        return $port === false ? MissingServer::named(
            'beanstalkd',
            'HEADROOM_BEANSTALKD_PORT is not set, so no beanstalkd to test on: bin/services run beanstalkd --'
                .' <this command>.',
        ) : (int) $port;
    }
}
