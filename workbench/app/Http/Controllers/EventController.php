<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use DateTimeImmutable;
use Headroom\Laravel\Facades\Buffer;
use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Redis;
use Workbench\App\Http\Requests\StoreBinaryEvent;
use Workbench\App\Http\Requests\StoreEvent;
use Workbench\App\Models\PageView;
use Workbench\App\Models\PageViewBinary;

/**
 * The same event taken in several ways: from outside the endpoints look alike.
 */
final class EventController
{
    public function none(StoreEvent $request): JsonResponse
    {
        $request->row();

        return $this->accepted();
    }

    public function sync(StoreEvent $request): JsonResponse
    {
        DB::table('page_views')->insert($request->row()->columns);

        return $this->accepted();
    }

    public function buffered(StoreEvent $request): JsonResponse
    {
        Buffer::bucket('page-views')->add($request->row()->columns);

        return $this->accepted();
    }

    public function bufferedBinary(StoreBinaryEvent $request): JsonResponse
    {
        Buffer::bucket('page-views-binary')->add($request->row()->columns);

        return $this->accepted();
    }

    public function bufferedRedis(StoreEvent $request): JsonResponse
    {
        Buffer::bucket('page-views-redis')->add($request->row()->columns);

        return $this->accepted();
    }

    /**
     * What buffering on disk is compared with: one file that all requests lock. Nobody delivers it, and a full disk or
     * a kill may lose or tear a line.
     */
    public function file(StoreEvent $request): JsonResponse
    {
        $row = $request->row()->columns;
        $row['created_at'] = DateTimeImmutable::createFromInterface($row['created_at'])->format('Y-m-d\TH:i:s.uP');
        file_put_contents(
            storage_path('page-views.ndjson'),
            json_encode($row, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE)."\n",
            FILE_APPEND | LOCK_EX,
        );

        return $this->accepted();
    }

    /** What buffering in a Redis stream is compared with: nobody delivers it, and a lost reply is lost. */
    public function xadd(StoreEvent $request): JsonResponse
    {
        Redis::xadd('page-views', '*', ['event' => json_encode(
            $request->row()->columns,
            JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
        )]);

        return $this->accepted();
    }

    public function count(): JsonResponse
    {
        return new JsonResponse([
            'page_views' => PageView::query()->count(),
            'page_views_binary' => PageViewBinary::query()->count(),
        ]);
    }

    private function accepted(): JsonResponse
    {
        return new JsonResponse(['accepted' => true], 202);
    }
}
