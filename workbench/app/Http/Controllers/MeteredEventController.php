<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Headroom\Laravel\Facades\Buffer;
use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\DB;
use Workbench\App\Http\Requests\StoreEvent;

/**
 * An event is recorded and counted in a row that all requests of the endpoint share, as metering does.
 */
final class MeteredEventController
{
    public function sync(StoreEvent $request): JsonResponse
    {
        $columns = $request->row()->columns;
        $meter = ['api_key' => 'sync', 'hour' => now()->startOfHour()->toDateTimeString()];

        DB::transaction(function () use ($columns, $meter): void {
            DB::table('page_views')->insert($columns);

            // Once an hour the row is not there yet.
            if (DB::table('api_usage')->where($meter)->increment('calls') === 0) {
                DB::table('api_usage')->insertOrIgnore($meter);
                DB::table('api_usage')->where($meter)->increment('calls');
            }
        }, attempts: 3);

        return $this->accepted();
    }

    public function buffered(StoreEvent $request): JsonResponse
    {
        Buffer::bucket('page-views')->add($request->row()->columns);
        Buffer::bucket('api-usage')->add(['api_key' => 'buffered', 'hour' => now()->startOfHour(), 'calls' => 1]);

        return $this->accepted();
    }

    private function accepted(): JsonResponse
    {
        return new JsonResponse(['accepted' => true], 202);
    }
}
